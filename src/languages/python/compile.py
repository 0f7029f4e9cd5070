import marshal, os, sys
out = sys.argv[1]
os.mkdir(out)
for path in sys.argv[2:]:
    with open(path, 'rb') as file:
        code = compile(file.read(), path, 'exec', dont_inherit=True)
    with open(out + '/' + os.path.basename(path) + '.code', 'wb') as file:
        marshal.dump(code, file)
