"""Serves one GGUF file on loopback over the wire formats of OpenAI and Anthropic.

usage: model_server.py FILE.gguf PORT
"""

import signal
import sys

import xllamacpp


def parameters(path, port):
    wanted = xllamacpp.CommonParams()
    wanted.model.path = path
    wanted.hostnames = ["127.0.0.1"]
    wanted.port = port
    wanted.n_parallel = 1
    wanted.n_ctx = 8192
    wanted.n_gpu_layers = 0
    for threads in (wanted.cpuparams, wanted.cpuparams_batch):
        threads.n_threads = 2
    return wanted


server = xllamacpp.Server(parameters(sys.argv[1], int(sys.argv[2])))
print(server.listening_address, flush=True)
signal.pause()
