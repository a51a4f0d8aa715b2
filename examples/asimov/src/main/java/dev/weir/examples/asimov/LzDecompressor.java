package dev.weir.examples.asimov;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.examples.asimov.LzStringException.Fault;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A single decompression. Confined to the thread that runs it.
 *
 * <p>Every phrase is already in the output: a literal character, or an earlier phrase and the first character of the
 * next one. The dictionary therefore stores positions in the output instead of strings. Work and memory are linear in
 * the sizes of the input and the allowed output.
 *
 * <p>The output consists of bytes: each UTF-16 unit is encoded separately in one to three bytes. Without surrogates,
 * this is UTF-8. Pairs of surrogates are joined at the end.
 */
final class LzDecompressor {
    // Codes with a fixed meaning. All codes from FIRST_PHRASE on are phrases.
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

    /** Arrays that a thread reuses, because new arrays must be cleared and garbage-collected. */
    private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

    private final String input;
    private final LzForm form;
    private final int maxChars;
    private final Scratch scratch;

    /**
     * The input's bits up to its end, or up to a character outside the alphabet. Such a character is an error only
     * before the end mark.
     */
    private final byte[] stream;

    private int symbols;
    private long streamBits;
    private long nextBit;

    private byte[] output;

    /**
     * The number of bytes of {@code output} that may be filled before the limit must be checked. The array may be
     * larger.
     */
    private int outputBytes;

    private int length;
    private boolean surrogates;

    /** For each code, the start of its phrase in the output (upper bits) and its length (lower bits). */
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

    /** Decompresses to UTF-8, with each lone surrogate replaced by U+FFFD. */
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
                    // The code is the phrase being added: the previous phrase and its first character.
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
     * Copies phrases while the codes refer to existing short phrases and there is space. Uses local variables, because
     * most of the time is spent here.
     *
     * <p>Copies eight bytes at a time, even past the end of the phrase.
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

    /** Returns the number of bits of a code, which depends on the largest possible code. */
    private static int codeBits(int size) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(size);
    }

    private static long phrase(int start, int length) {
        return (long) start << PLACE_BITS | length;
    }

    /** Returns the encoded length, in bytes, of the UTF-16 unit that starts with {@code first}. */
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

    /** Appends a part of the output to its end. */
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

    /** Checks the limit in characters. Counts them only if there are more bytes than the limit. */
    private void checkLength() throws LzStringException {
        if (length > maxChars && chars() > maxChars) {
            throw tooLarge();
        }
    }

    private LzStringException tooLarge() {
        return new LzStringException(Fault.TOO_LARGE, "decompresses to more than " + maxChars + " characters");
    }

    /** Returns the number of UTF-16 units in the output. */
    private int chars() {
        int chars = 0;
        for (int i = 0; i < length; i++) {
            chars += (output[i] & 0xC0) == 0x80 ? 0 : 1;
        }
        return chars;
    }

    /** Returns the output's UTF-16 units. */
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

    /** Converts the output to UTF-8 in place. The conversion never makes it longer. */
    private void joinSurrogates() {
        byte[] bytes = output;
        int to = 0;
        int at = 0;
        while (at < length) {
            // All surrogates begin with this byte, and so do the characters U+D000 to U+D7FF.
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
     * The buffers that a thread keeps between two runs. A run writes before it reads, so old content does not matter.
     */
    private static final class Scratch {
        /** The size of the largest array to keep. */
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
