//! As much of a Java class file as tells whether the class can be started.

const MAIN: (&str, &str) = ("main", "([Ljava/lang/String;)V");
const PUBLIC_STATIC: u16 = 0x0001 | 0x0008;

/// The class's name, with dots, if it has a `public static void main(String[])`.
pub(super) fn with_main(bytes: &[u8]) -> Option<String> {
    let mut reader = Reader { bytes };
    if reader.u32()? != 0xCAFE_BABE {
        return None;
    }
    reader.skip(4)?;
    let constants = constants(&mut reader)?;
    reader.skip(2)?;
    let this_class = usize::from(reader.u16()?);
    reader.skip(2)?;
    let n_interfaces = usize::from(reader.u16()?);
    reader.skip(n_interfaces * 2)?;
    members(&mut reader, &constants)?;
    let methods = members(&mut reader, &constants)?;
    let has_main = methods
        .iter()
        .any(|(flags, name, descriptor)| flags & PUBLIC_STATIC == PUBLIC_STATIC && (*name, *descriptor) == MAIN);
    let Constant::Class(name) = constants.get(this_class)? else {
        return None;
    };
    has_main.then(|| text(&constants, *name).replace('/', "."))
}

enum Constant<'a> {
    Text(&'a str),
    Class(usize),
    Other,
}

fn constants<'a>(reader: &mut Reader<'a>) -> Option<Vec<Constant<'a>>> {
    let n_constants = usize::from(reader.u16()?);
    let mut constants = vec![Constant::Other];
    while constants.len() < n_constants {
        let tag = reader.u8()?;
        let constant = match tag {
            1 => {
                let n_bytes = usize::from(reader.u16()?);
                // Names that are not plain UTF-8 are none that we look for.
                Constant::Text(str::from_utf8(reader.take(n_bytes)?).unwrap_or_default())
            }
            7 => Constant::Class(usize::from(reader.u16()?)),
            _ => {
                reader.skip(match tag {
                    3 | 4 | 9..=12 | 17 | 18 => 4,
                    5 | 6 => 8,
                    8 | 16 | 19 | 20 => 2,
                    15 => 3,
                    _ => return None,
                })?;
                Constant::Other
            }
        };
        constants.push(constant);
        // These two take the place of two.
        if matches!(tag, 5 | 6) {
            constants.push(Constant::Other);
        }
    }
    Some(constants)
}

/// Flags, name and descriptor of the fields, or of the methods.
fn members<'a>(reader: &mut Reader<'a>, constants: &[Constant<'a>]) -> Option<Vec<(u16, &'a str, &'a str)>> {
    let n_members = reader.u16()?;
    let mut members = Vec::new();
    for _ in 0..n_members {
        let (flags, name, descriptor) = (reader.u16()?, usize::from(reader.u16()?), usize::from(reader.u16()?));
        for _ in 0..reader.u16()? {
            reader.skip(2)?;
            let n_bytes = usize::try_from(reader.u32()?).ok()?;
            reader.skip(n_bytes)?;
        }
        members.push((flags, text(constants, name), text(constants, descriptor)));
    }
    Some(members)
}

fn text<'a>(constants: &[Constant<'a>], idx: usize) -> &'a str {
    match constants.get(idx) {
        Some(Constant::Text(text)) => text,
        _ => "",
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, n_bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(n_bytes)?;
        self.bytes = rest;
        Some(taken)
    }

    fn skip(&mut self, n_bytes: usize) -> Option<()> {
        self.take(n_bytes).map(|_| ())
    }

    fn u8(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_class_are_refused_without_a_panic() {
        for n in 0..64 {
            assert_eq!(with_main(&vec![0xCA; n]), None);
            assert_eq!(with_main(&[&[0xCA, 0xFE, 0xBA, 0xBE][..], &vec![0xFF; n]].concat()), None);
        }
    }
}
