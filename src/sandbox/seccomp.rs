//! System calls that no program has a use for here: a deny list over an otherwise complete system
//! interface, since interpreters and compilers use most of it. The namespaces are the wall; this
//! keeps programs from the parts of the kernel where walls have fallen before.

use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

/// Denied whatever the arguments, and of no use to a launcher that is set up.
const DENIED: &[i64] = &[
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_vhangup,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
];

/// What launcher and pid 1 need themselves, and programs do not get.
const DENIED_TO_PROGRAMS: &[i64] = &[libc::SYS_mount, libc::SYS_umount2];

/// Flags of `clone` that make namespaces.
const NAMESPACE_FLAGS: [i32; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// The filters that a launcher applies to itself, in order. Its children inherit them: the kernel
/// takes a fifth of a millisecond to take in a long filter, too much for every run.
pub(super) fn launcher_filters() -> Result<Vec<BpfProgram>, Error> {
    let mut rules: Vec<(i64, Vec<SeccompRule>)> = DENIED.iter().map(|call| (*call, Vec::new())).collect();
    rules.push((libc::SYS_socket, socket_rules()?));
    rules.push((libc::SYS_ioctl, terminal_rules()?));
    // The arguments of clone3 lie in memory, out of a filter's sight. "No such call" makes the C
    // library fall back to clone.
    let missing = vec![(libc::SYS_clone3, Vec::new())];
    let mut programs = vec![compile(rules, libc::EPERM)?, compile(missing, libc::ENOSYS)?];
    if cfg!(target_arch = "x86_64") {
        programs.push(no_x32());
    }
    Ok(programs)
}

/// The filter that a program gets on top.
pub(super) fn program_filter() -> Result<BpfProgram, Error> {
    let mut rules: Vec<(i64, Vec<SeccompRule>)> = DENIED_TO_PROGRAMS.iter().map(|call| (*call, Vec::new())).collect();
    rules.push((libc::SYS_clone, namespace_rules()?));
    compile(rules, libc::EPERM)
}

fn compile(rules: Vec<(i64, Vec<SeccompRule>)>, errno: i32) -> Result<BpfProgram, Error> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let deny = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(rules.into_iter().collect(), SeccompAction::Allow, deny, arch)?;
    Ok(BpfProgram::try_from(filter)?)
}

fn namespace_rules() -> Result<Vec<SeccompRule>, Error> {
    NAMESPACE_FLAGS.iter().map(|flag| rule(0, Op::MaskedEq(mask(*flag)), mask(*flag))).collect()
}

/// Only the families that programs know: others reach past the network namespace (vsock), or into
/// rarely trodden parts of the kernel.
fn socket_rules() -> Result<Vec<SeccompRule>, Error> {
    let others = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6]
        .iter()
        .map(|family| SeccompCondition::new(0, Len::Dword, Op::Ne, mask(*family)))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(vec![SeccompRule::new(others)?])
}

/// Typing into somebody's terminal.
fn terminal_rules() -> Result<Vec<SeccompRule>, Error> {
    const TIOCLINUX: u64 = 0x541C;
    [libc::TIOCSTI, TIOCLINUX].into_iter().map(|request| rule(1, Op::Eq, request)).collect()
}

fn rule(argument: u8, op: Op, value: u64) -> Result<SeccompRule, Error> {
    Ok(SeccompRule::new(vec![SeccompCondition::new(argument, Len::Dword, op, value)?])?)
}

fn mask(flag: i32) -> u64 {
    u64::from(flag.unsigned_abs())
}

/// The second system interface of `x86_64` has the same calls under other numbers, which the rules
/// above would not see.
fn no_x32() -> BpfProgram {
    const LOAD_NUMBER: u16 = 0x20;
    const JUMP_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const X32: u32 = 0x4000_0000;
    const ALLOW: u32 = 0x7fff_0000;
    const ERRNO: u32 = 0x0005_0000;
    let enosys = ERRNO | libc::ENOSYS.unsigned_abs();
    vec![
        sock_filter { code: LOAD_NUMBER, jt: 0, jf: 0, k: 0 },
        sock_filter { code: JUMP_AT_LEAST, jt: 0, jf: 1, k: X32 },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: enosys },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: ALLOW },
    ]
}
