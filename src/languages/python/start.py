import builtins, sys
from _sitebuiltins import Quitter
builtins.exit = Quitter('exit', 'Ctrl-D (i.e. EOF)')
builtins.quit = Quitter('quit', 'Ctrl-D (i.e. EOF)')
del sys.argv[0]
sys.path[0] = sys.argv[0].rpartition('/')[0]
__file__ = sys.argv[0]
del builtins, sys, Quitter
exec(compile(open(__file__, 'rb').read(), __file__, 'exec', dont_inherit=True))
