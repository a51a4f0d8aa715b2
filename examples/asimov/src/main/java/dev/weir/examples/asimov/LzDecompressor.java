package dev.weir.examples.asimov;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.examples.asimov.LzStringException.Fault;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * One decompression. Confined to the thread that runs it.
 *
 * <p>Every phrase of the dictionary is a stretch of the output already written: "the phrase before, and the first
 * character of what followed it". So the dictionary is an array of places, and no phrase is ever a string of its own.
 * Work and memory are linear in the input and the allowed output, whatever the input says.
 *
 * <p>The output is written as bytes: each UTF-16 unit by itself, in one to three of them. Without surrogates that is
 * UTF-8 already; with them, pairs are joined at the end.
 */
final class LzDecompressor {
    // Codes of the stream; phrases are numbered from FIRST_PHRASE.
    static final int LITERAL_8_BITS = 0;
    static final int LITERAL_16_BITS = 1;
    static final int END = 2;
    static final int FIRST_PHRASE = 3;

    private static final int MIN_OUTPUT_BYTES = 64;

    /** The longest phrase that {@link #copyPhrases} copies. */
    private static final int SHORT_PHRASE_BYTES = 2 * Long.BYTES;

    private static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 8;

    private static final int PLACE_BITS = 32;

    private static final VarHandle EIGHT_BYTES =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Arrays that the runs of a thread hand on to each other: new ones would have to be cleared, and collected. */
    private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

    private final String input;
    private final LzForm form;
    private final int maxChars;
    private final Scratch scratch;

    /** The bits of the symbols up to the end or a foreign one, which may well be behind the end mark. */
    private final byte[] stream;

    private int symbols;
    private long streamBits;
    private long nextBit;

    private byte[] output;

    /** Bytes of {@code output} to fill before the limit is checked, whatever array was left. */
    private int outputBytes;

    private int length;
    private boolean surrogates;

    /**
     * Start of each code's phrase in the output, above its length. A single array needs one read. One array, so that
     * one look is enough.
     */
    private long[] phrases;

    private int size = FIRST_PHRASE;
    private long last;

    private LzDecompressor(String input, LzForm form, int maxChars) {
        if (maxChars < 0) {
            throw new IllegalArgumentException("maxChars must be at least 0: maxChars=" + maxChars);
        }
        this.input = input;
        this.form = form;
        this.maxChars = maxChars;
        long inputBits = (long) input.length() * form.bitsPerSymbol;
        this.scratch = SCRATCH.get();
        this.stream = scratch.stream((int) (inputBits / Byte.SIZE) + 2 * Long.BYTES);
        this.outputBytes = (int) Math.min(Math.max(MIN_OUTPUT_BYTES, inputBits / 2), MAX_ARRAY_BYTES);
        this.output = scratch.output(outputBytes);
        this.phrases = scratch.phrases(FIRST_PHRASE + 1 + (int) Math.min(1 << 16, inputBits / 8));
    }

    static String decompress(String input, LzForm form, int maxChars) throws LzStringException {
        LzDecompressor run = new LzDecompressor(input, form, maxChars);
        run.run();
        return run.surrogates ? new String(run.units()) : new String(run.output, 0, run.length, UTF_8);
    }

    /** The same in UTF-8, each lone surrogate replaced by U+FFFD. */
    static byte[] decompressToUtf8(String input, LzForm form, int maxChars) throws LzStringException {
        LzDecompressor run = new LzDecompressor(input, form, maxChars);
        run.run();
        if (run.surrogates) {
            run.joinSurrogates();
        }
        return Arrays.copyOf(run.output, run.length);
    }

    private void run() throws LzStringException {
        takeSymbols();
        int code = bits(2);
        if (code == END) {
            return;
        }
        if (code > END) {
            throw unknown(code);
        }
        appendLiteral(code);
        last = phrase(0, length);
        phrases[size++] = last;
        while (true) {
            copyPhrases();
            code = bits(codeBits(size));
            if (size > phrases.length - 2) {
                phrases = Arrays.copyOf(phrases, phrases.length * 2);
                scratch.keep(phrases);
            }
            int start = length;
            if (code > END) {
                if (code < size) {
                    appendCopy(phrases[code]);
                } else if (code == size) {
                    // The code names the very phrase that it completes: the one before, and its own first character.
                    appendCopy(last);
                    appendCopy(phrase(start, unitBytes(output[start])));
                } else {
                    throw unknown(code);
                }
                phrases[size++] = last + unitBytes(output[start]);
            } else if (code < END) {
                appendLiteral(code);
                phrases[size++] = phrase(start, length - start);
                phrases[size++] = last + (length - start);
            } else {
                checkLength();
                return;
            }
            last = phrase(start, length - start);
        }
    }

    /**
     * Copies phrases while codes name short ones that exist, as most do, and there is room. Fields are in local
     * variables, because the time goes here.
     *
     * <p>Eight bytes are copied at a time, whether they belong to the phrase or not: cheaper than branches hard to
     * predict.
     */
    private void copyPhrases() {
        byte[] bits = stream;
        byte[] bytes = output;
        long[] places = phrases;
        int room = outputBytes - 2 * SHORT_PHRASE_BYTES;
        int count = size;
        int to = length;
        long before = last;
        long bit = nextBit;
        while (to <= room && count < places.length) {
            int codeBits = codeBits(count);
            int code = (int) ((long) EIGHT_BYTES.get(bits, (int) (bit >>> 3)) >>> (bit & 7)) & ((1 << codeBits) - 1);
            if (code <= END || code >= count || bit + codeBits > streamBits) {
                break;
            }
            long found = places[code];
            if ((int) found > SHORT_PHRASE_BYTES) {
                break;
            }
            int from = (int) (found >>> PLACE_BITS);
            EIGHT_BYTES.set(bytes, to, (long) EIGHT_BYTES.get(bytes, from));
            EIGHT_BYTES.set(bytes, to + Long.BYTES, (long) EIGHT_BYTES.get(bytes, from + Long.BYTES));
            places[count++] = before + unitBytes(bytes[to]);
            before = phrase(to, (int) found);
            to += (int) found;
            bit += codeBits;
        }
        size = count;
        length = to;
        last = before;
        nextBit = bit;
    }

    /** A code has as many bits as the largest one possible now needs. */
    private static int codeBits(int size) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(size);
    }

    private static long phrase(int start, int length) {
        return (long) start << PLACE_BITS | length;
    }

    /** The number of bytes the UTF-16 unit has whose first byte is {@code first}. */
    private static int unitBytes(byte first) {
        if (first >= 0) {
            return 1;
        }
        return (first & 0xE0) == 0xC0 ? 2 : 3;
    }

    private void appendLiteral(int code) throws LzStringException {
        int unit = bits(code == LITERAL_8_BITS ? 8 : 16);
        ensureOutput(3);
        if (unit < 0x80) {
            output[length++] = (byte) unit;
        } else if (unit < 0x800) {
            output[length++] = (byte) (0xC0 | (unit >> 6));
            output[length++] = (byte) (0x80 | (unit & 0x3F));
        } else {
            surrogates |= Character.isSurrogate((char) unit);
            output[length++] = (byte) (0xE0 | (unit >> 12));
            output[length++] = (byte) (0x80 | ((unit >> 6) & 0x3F));
            output[length++] = (byte) (0x80 | (unit & 0x3F));
        }
    }

    /** Appends a stretch of the output. */
    private void appendCopy(long phrase) throws LzStringException {
        int start = (int) (phrase >>> PLACE_BITS);
        int count = (int) phrase;
        ensureOutput(count);
        System.arraycopy(output, start, output, length, count);
        length += count;
    }

    private int bits(int count) throws LzStringException {
        long bit = nextBit;
        nextBit = bit + count;
        if (nextBit > streamBits) {
            throw missing();
        }
        long held = (long) EIGHT_BYTES.get(stream, (int) (bit >>> 3)) >>> (bit & 7);
        return (int) held & ((1 << count) - 1);
    }

    private void takeSymbols() {
        int symbolBits = form.bitsPerSymbol;
        int count = input.length();
        long held = 0;
        int heldBits = 0;
        int at = 0;
        int next = 0;
        for (; next < count; next++) {
            int bits = form.reversedBits(input.charAt(next));
            if (bits == LzForm.FOREIGN) {
                break;
            }
            held |= (long) bits << heldBits;
            heldBits += symbolBits;
            if (heldBits >= Integer.SIZE) {
                EIGHT_BYTES.set(stream, at, held);
                at += Integer.BYTES;
                held >>>= Integer.SIZE;
                heldBits -= Integer.SIZE;
            }
        }
        EIGHT_BYTES.set(stream, at, held);
        symbols = next;
        streamBits = (long) next * symbolBits;
    }

    private LzStringException missing() {
        return symbols == input.length()
                ? new LzStringException(Fault.TRUNCATED, "ends after " + symbols + " characters without an end mark")
                : new LzStringException(
                        Fault.FOREIGN_SYMBOL,
                        "character U+%04X at %d is not of the form %s"
                                .formatted((int) input.charAt(symbols), symbols, form));
    }

    private void ensureOutput(int moreBytes) throws LzStringException {
        if (moreBytes > outputBytes - length) {
            checkLength();
            long least = (long) length + moreBytes;
            if (least > MAX_ARRAY_BYTES) {
                throw tooLarge();
            }
            outputBytes = (int) Math.min(Math.max(least, outputBytes * 2L), MAX_ARRAY_BYTES);
            if (outputBytes > output.length) {
                output = Arrays.copyOf(output, outputBytes);
                scratch.keep(output);
            }
        }
    }

    /** Checks the limit, which counts characters; there are never more of them than bytes. */
    private void checkLength() throws LzStringException {
        if (length > maxChars && chars() > maxChars) {
            throw tooLarge();
        }
    }

    private LzStringException tooLarge() {
        return new LzStringException(Fault.TOO_LARGE, "decompresses to more than " + maxChars + " characters");
    }

    /** The number of UTF-16 units in the output: of each, one byte is its first. */
    private int chars() {
        int chars = 0;
        for (int i = 0; i < length; i++) {
            chars += (output[i] & 0xC0) == 0x80 ? 0 : 1;
        }
        return chars;
    }

    /** The output's UTF-16 units. */
    private char[] units() {
        char[] units = new char[chars()];
        int at = 0;
        for (int i = 0; i < units.length; i++) {
            units[i] = unit(at);
            at += unitBytes(output[at]);
        }
        return units;
    }

    private char unit(int at) {
        byte[] bytes = output;
        return (char)
                switch (unitBytes(bytes[at])) {
                    case 1 -> bytes[at];
                    case 2 -> ((bytes[at] & 0x1F) << 6) | (bytes[at + 1] & 0x3F);
                    default -> ((bytes[at] & 0x0F) << 12) | ((bytes[at + 1] & 0x3F) << 6) | (bytes[at + 2] & 0x3F);
                };
    }

    /** Converts the output to UTF-8 in place: it never grows. */
    private void joinSurrogates() {
        byte[] bytes = output;
        int to = 0;
        int at = 0;
        while (at < length) {
            // All surrogates begin with this byte, and nothing else has it but U+D000 to U+D7FF.
            if (bytes[at] != (byte) 0xED || !Character.isSurrogate(unit(at))) {
                bytes[to++] = bytes[at++];
                continue;
            }
            char unit = unit(at);
            at += 3;
            if (at < length && Character.isSurrogatePair(unit, unit(at))) {
                int codePoint = Character.toCodePoint(unit, unit(at));
                at += 3;
                bytes[to++] = (byte) (0xF0 | (codePoint >> 18));
                bytes[to++] = (byte) (0x80 | ((codePoint >> 12) & 0x3F));
                bytes[to++] = (byte) (0x80 | ((codePoint >> 6) & 0x3F));
                bytes[to++] = (byte) (0x80 | (codePoint & 0x3F));
            } else {
                // U+FFFD, the replacement character.
                bytes[to++] = (byte) 0xEF;
                bytes[to++] = (byte) 0xBF;
                bytes[to++] = (byte) 0xBD;
            }
        }
        length = to;
    }

    private LzStringException unknown(int code) {
        long character = Math.ceilDiv(nextBit, form.bitsPerSymbol);
        return new LzStringException(
                Fault.UNKNOWN_CODE, "code " + code + " before character " + character + " names no phrase yet");
    }

    /**
     * The buffers that a thread keeps between two runs. What is left in the arrays is never read: each run writes
     * first.
     */
    private static final class Scratch {
        /** Larger arrays are for one run. */
        private static final int MOST_KEPT_BYTES = 256 * 1024;

        private byte[] stream = {};
        private byte[] output = {};
        private long[] phrases = {};

        byte[] stream(int length) {
            if (length <= stream.length) {
                return stream;
            }
            byte[] larger = new byte[length];
            if (length <= MOST_KEPT_BYTES) {
                stream = larger;
            }
            return larger;
        }

        byte[] output(int length) {
            if (length <= output.length) {
                return output;
            }
            byte[] larger = new byte[length];
            keep(larger);
            return larger;
        }

        long[] phrases(int length) {
            if (length <= phrases.length) {
                return phrases;
            }
            long[] larger = new long[length];
            keep(larger);
            return larger;
        }

        void keep(byte[] newOutput) {
            if (newOutput.length <= MOST_KEPT_BYTES) {
                output = newOutput;
            }
        }

        void keep(long[] newPhrases) {
            if (newPhrases.length <= MOST_KEPT_BYTES / Long.BYTES) {
                phrases = newPhrases;
            }
        }
    }
}
