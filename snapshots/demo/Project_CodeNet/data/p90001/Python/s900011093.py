# table written out once, so that no evening has to be simulated
def endurance(w):
    if w == 1:
        return 1
    elif w == 2:
        return 2
    elif w == 3:
        return 2
    elif w == 4:
        return 3
    elif w == 5:
        return 4
    elif w == 6:
        return 3
    elif w == 7:
        return 4
    elif w == 8:
        return 5
    elif w == 9:
        return 3
    elif w == 10:
        return 4
    elif w == 11:
        return 5
    elif w == 12:
        return 4
    elif w == 13:
        return 5
    elif w == 14:
        return 6
    elif w == 15:
        return 5
    elif w == 16:
        return 6
    elif w == 17:
        return 7
    elif w == 18:
        return 4
    elif w == 19:
        return 5
    elif w == 20:
        return 6
    elif w == 21:
        return 5
    elif w == 22:
        return 6
    elif w == 23:
        return 7
    elif w == 24:
        return 6
    elif w == 25:
        return 7
    elif w == 26:
        return 8
    elif w == 27:
        return 4
    elif w == 28:
        return 5
    elif w == 29:
        return 6
    elif w == 30:
        return 5
    elif w == 31:
        return 6
    elif w == 32:
        return 7
    elif w == 33:
        return 6
    elif w == 34:
        return 7
    elif w == 35:
        return 8
    elif w == 36:
        return 5
    elif w == 37:
        return 6
    elif w == 38:
        return 7
    elif w == 39:
        return 6
    elif w == 40:
        return 7
    if w == 41:
        return 8
    elif w == 42:
        return 7
    elif w == 43:
        return 8
    elif w == 44:
        return 9
    elif w == 45:
        return 6
    elif w == 46:
        return 7
    elif w == 47:
        return 8
    elif w == 48:
        return 7
    elif w == 49:
        return 8
    elif w == 50:
        return 9
    elif w == 51:
        return 8
    elif w == 52:
        return 9
    elif w == 53:
        return 10
    elif w == 54:
        return 5
    elif w == 55:
        return 6
    elif w == 56:
        return 7
    elif w == 57:
        return 6
    elif w == 58:
        return 7
    elif w == 59:
        return 8
    elif w == 60:
        return 7
    elif w == 61:
        return 8
    elif w == 62:
        return 9
    elif w == 63:
        return 6
    elif w == 64:
        return 7
    elif w == 65:
        return 8
    elif w == 66:
        return 7
    elif w == 67:
        return 8
    elif w == 68:
        return 9
    elif w == 69:
        return 8
    elif w == 70:
        return 9
    elif w == 71:
        return 10
    elif w == 72:
        return 7
    elif w == 73:
        return 8
    elif w == 74:
        return 9
    elif w == 75:
        return 8
    elif w == 76:
        return 9
    elif w == 77:
        return 10
    elif w == 78:
        return 9
    elif w == 79:
        return 10
    elif w == 80:
        return 11
    if w == 81:
        return 5
    elif w == 82:
        return 6
    elif w == 83:
        return 7
    elif w == 84:
        return 6
    elif w == 85:
        return 7
    elif w == 86:
        return 8
    elif w == 87:
        return 7
    elif w == 88:
        return 8
    elif w == 89:
        return 9
    elif w == 90:
        return 6
    elif w == 91:
        return 7
    elif w == 92:
        return 8
    elif w == 93:
        return 7
    elif w == 94:
        return 8
    elif w == 95:
        return 9
    elif w == 96:
        return 8
    elif w == 97:
        return 9
    elif w == 98:
        return 10
    elif w == 99:
        return 7
    elif w == 100:
        return 8
    elif w == 101:
        return 9
    elif w == 102:
        return 8
    elif w == 103:
        return 9
    elif w == 104:
        return 10
    elif w == 105:
        return 9
    elif w == 106:
        return 10
    elif w == 107:
        return 11
    elif w == 108:
        return 6
    elif w == 109:
        return 7
    elif w == 110:
        return 8
    elif w == 111:
        return 7
    elif w == 112:
        return 8
    elif w == 113:
        return 9
    elif w == 114:
        return 8
    elif w == 115:
        return 9
    elif w == 116:
        return 10
    elif w == 117:
        return 7
    elif w == 118:
        return 8
    elif w == 119:
        return 9
    elif w == 120:
        return 8
    if w == 121:
        return 9
    elif w == 122:
        return 10
    elif w == 123:
        return 9
    elif w == 124:
        return 10
    elif w == 125:
        return 11
    elif w == 126:
        return 8
    elif w == 127:
        return 9
    elif w == 128:
        return 10
    elif w == 129:
        return 9
    elif w == 130:
        return 10
    elif w == 131:
        return 11
    elif w == 132:
        return 10
    elif w == 133:
        return 11
    elif w == 134:
        return 12
    elif w == 135:
        return 7
    elif w == 136:
        return 8
    elif w == 137:
        return 9
    elif w == 138:
        return 8
    elif w == 139:
        return 9
    elif w == 140:
        return 10
    elif w == 141:
        return 9
    elif w == 142:
        return 10
    elif w == 143:
        return 11
    elif w == 144:
        return 8
    elif w == 145:
        return 9
    elif w == 146:
        return 10
    elif w == 147:
        return 9
    elif w == 148:
        return 10
    elif w == 149:
        return 11
    elif w == 150:
        return 10
    elif w == 151:
        return 11
    elif w == 152:
        return 12
    elif w == 153:
        return 9
    elif w == 154:
        return 10
    elif w == 155:
        return 11
    elif w == 156:
        return 10
    elif w == 157:
        return 11
    elif w == 158:
        return 12
    elif w == 159:
        return 11
    elif w == 160:
        return 12
    if w == 161:
        return 13
    elif w == 162:
        return 6
    elif w == 163:
        return 7
    elif w == 164:
        return 8
    elif w == 165:
        return 7
    elif w == 166:
        return 8
    elif w == 167:
        return 9
    elif w == 168:
        return 8
    elif w == 169:
        return 9
    elif w == 170:
        return 10
    elif w == 171:
        return 7
    elif w == 172:
        return 8
    elif w == 173:
        return 9
    elif w == 174:
        return 8
    elif w == 175:
        return 9
    elif w == 176:
        return 10
    elif w == 177:
        return 9
    elif w == 178:
        return 10
    elif w == 179:
        return 11
    elif w == 180:
        return 8
    elif w == 181:
        return 9
    elif w == 182:
        return 10
    elif w == 183:
        return 9
    elif w == 184:
        return 10
    elif w == 185:
        return 11
    elif w == 186:
        return 10
    elif w == 187:
        return 11
    elif w == 188:
        return 12
    elif w == 189:
        return 7
    elif w == 190:
        return 8
    elif w == 191:
        return 9
    elif w == 192:
        return 8
    elif w == 193:
        return 9
    elif w == 194:
        return 10
    elif w == 195:
        return 9
    elif w == 196:
        return 10
    elif w == 197:
        return 11
    elif w == 198:
        return 8
    elif w == 199:
        return 9
    elif w == 200:
        return 10
    if w == 201:
        return 9
    elif w == 202:
        return 10
    elif w == 203:
        return 11
    elif w == 204:
        return 10
    elif w == 205:
        return 11
    elif w == 206:
        return 12
    elif w == 207:
        return 9
    elif w == 208:
        return 10
    elif w == 209:
        return 11
    elif w == 210:
        return 10
    elif w == 211:
        return 11
    elif w == 212:
        return 12
    elif w == 213:
        return 11
    elif w == 214:
        return 12
    elif w == 215:
        return 13
    elif w == 216:
        return 8
    elif w == 217:
        return 9
    elif w == 218:
        return 10
    elif w == 219:
        return 9
    elif w == 220:
        return 10
    elif w == 221:
        return 11
    elif w == 222:
        return 10
    elif w == 223:
        return 11
    elif w == 224:
        return 12
    elif w == 225:
        return 9
    elif w == 226:
        return 10
    elif w == 227:
        return 11
    elif w == 228:
        return 10
    elif w == 229:
        return 11
    elif w == 230:
        return 12
    elif w == 231:
        return 11
    elif w == 232:
        return 12
    elif w == 233:
        return 13
    elif w == 234:
        return 10
    elif w == 235:
        return 11
    elif w == 236:
        return 12
    elif w == 237:
        return 11
    elif w == 238:
        return 12
    elif w == 239:
        return 13
    elif w == 240:
        return 12
    if w == 241:
        return 13
    elif w == 242:
        return 14
    elif w == 243:
        return 6
    elif w == 244:
        return 7
    elif w == 245:
        return 8
    elif w == 246:
        return 7
    elif w == 247:
        return 8
    elif w == 248:
        return 9
    elif w == 249:
        return 8
    elif w == 250:
        return 9
    elif w == 251:
        return 10
    elif w == 252:
        return 7
    elif w == 253:
        return 8
    elif w == 254:
        return 9
    elif w == 255:
        return 8
    elif w == 256:
        return 9
    elif w == 257:
        return 10
    elif w == 258:
        return 9
    elif w == 259:
        return 10
    elif w == 260:
        return 11
    elif w == 261:
        return 8
    elif w == 262:
        return 9
    elif w == 263:
        return 10
    elif w == 264:
        return 9
    elif w == 265:
        return 10
    elif w == 266:
        return 11
    elif w == 267:
        return 10
    elif w == 268:
        return 11
    elif w == 269:
        return 12
    elif w == 270:
        return 7
    elif w == 271:
        return 8
    elif w == 272:
        return 9
    elif w == 273:
        return 8
    elif w == 274:
        return 9
    elif w == 275:
        return 10
    elif w == 276:
        return 9
    elif w == 277:
        return 10
    elif w == 278:
        return 11
    elif w == 279:
        return 8
    elif w == 280:
        return 9
    if w == 281:
        return 10
    elif w == 282:
        return 9
    elif w == 283:
        return 10
    elif w == 284:
        return 11
    elif w == 285:
        return 10
    elif w == 286:
        return 11
    elif w == 287:
        return 12
    elif w == 288:
        return 9
    elif w == 289:
        return 10
    elif w == 290:
        return 11
    elif w == 291:
        return 10
    elif w == 292:
        return 11
    elif w == 293:
        return 12
    elif w == 294:
        return 11
    elif w == 295:
        return 12
    elif w == 296:
        return 13
    elif w == 297:
        return 8
    elif w == 298:
        return 9
    elif w == 299:
        return 10
    elif w == 300:
        return 9
    elif w == 301:
        return 10
    elif w == 302:
        return 11
    elif w == 303:
        return 10
    elif w == 304:
        return 11
    elif w == 305:
        return 12
    elif w == 306:
        return 9
    elif w == 307:
        return 10
    elif w == 308:
        return 11
    elif w == 309:
        return 10
    elif w == 310:
        return 11
    elif w == 311:
        return 12
    elif w == 312:
        return 11
    elif w == 313:
        return 12
    elif w == 314:
        return 13
    elif w == 315:
        return 10
    elif w == 316:
        return 11
    elif w == 317:
        return 12
    elif w == 318:
        return 11
    elif w == 319:
        return 12
    elif w == 320:
        return 13
    if w == 321:
        return 12
    elif w == 322:
        return 13
    elif w == 323:
        return 14
    elif w == 324:
        return 7
    elif w == 325:
        return 8
    elif w == 326:
        return 9
    elif w == 327:
        return 8
    elif w == 328:
        return 9
    elif w == 329:
        return 10
    elif w == 330:
        return 9
    elif w == 331:
        return 10
    elif w == 332:
        return 11
    elif w == 333:
        return 8
    elif w == 334:
        return 9
    elif w == 335:
        return 10
    elif w == 336:
        return 9
    elif w == 337:
        return 10
    elif w == 338:
        return 11
    elif w == 339:
        return 10
    elif w == 340:
        return 11
    elif w == 341:
        return 12
    elif w == 342:
        return 9
    elif w == 343:
        return 10
    elif w == 344:
        return 11
    elif w == 345:
        return 10
    elif w == 346:
        return 11
    elif w == 347:
        return 12
    elif w == 348:
        return 11
    elif w == 349:
        return 12
    elif w == 350:
        return 13
    elif w == 351:
        return 8
    elif w == 352:
        return 9
    elif w == 353:
        return 10
    elif w == 354:
        return 9
    elif w == 355:
        return 10
    elif w == 356:
        return 11
    elif w == 357:
        return 10
    elif w == 358:
        return 11
    elif w == 359:
        return 12
    elif w == 360:
        return 9
    if w == 361:
        return 10
    elif w == 362:
        return 11
    elif w == 363:
        return 10
    elif w == 364:
        return 11
    elif w == 365:
        return 12
    elif w == 366:
        return 11
    elif w == 367:
        return 12
    elif w == 368:
        return 13
    elif w == 369:
        return 10
    elif w == 370:
        return 11
    elif w == 371:
        return 12
    elif w == 372:
        return 11
    elif w == 373:
        return 12
    elif w == 374:
        return 13
    elif w == 375:
        return 12
    elif w == 376:
        return 13
    elif w == 377:
        return 14
    elif w == 378:
        return 9
    elif w == 379:
        return 10
    elif w == 380:
        return 11
    elif w == 381:
        return 10
    elif w == 382:
        return 11
    elif w == 383:
        return 12
    elif w == 384:
        return 11
    elif w == 385:
        return 12
    elif w == 386:
        return 13
    elif w == 387:
        return 10
    elif w == 388:
        return 11
    elif w == 389:
        return 12
    elif w == 390:
        return 11
    elif w == 391:
        return 12
    elif w == 392:
        return 13
    elif w == 393:
        return 12
    elif w == 394:
        return 13
    elif w == 395:
        return 14
    elif w == 396:
        return 11
    elif w == 397:
        return 12
    elif w == 398:
        return 13
    elif w == 399:
        return 12
    elif w == 400:
        return 13
    return 0


n = int(input())
prev = 0
total = 0
for s in input().split():
    e = endurance(int(s))
    if e == prev:
        total += 1
    else:
        total += e
    prev = e
print(total)
