package dev.weir.examples.asimov;

import dev.weir.examples.asimov.LzStringException.Fault;
import java.util.Arrays;

/**
 * One decompression. Confined to the thread that runs it.
 *
 * <p>Every phrase of the dictionary is a stretch of the output already written: "the phrase before, and the first
 * character of what followed it". So the dictionary is an array of places, and no phrase is ever a string of its own.
 * Work and memory are linear in the input and the allowed output, whatever the input says.
 */
final class LzDecompressor {
    // Codes of the stream; phrases are numbered from FIRST_PHRASE.
    static final int LITERAL_8_BITS = 0;
    static final int LITERAL_16_BITS = 1;
    static final int END = 2;
    static final int FIRST_PHRASE = 3;

    private static final int MIN_OUTPUT_CHARS = 64;

    /** How many characters {@link #appendCopy} writes at a time; so many are spare at the output's end. */
    private static final int BLIND_CHARS = 4;

    private static final int MAX_ARRAY_CHARS = Integer.MAX_VALUE - 8;

    private static final int PLACE_BITS = 32;

    private final char[] input;
    private final LzForm form;
    private final int maxChars;

    /** No symbol fits beside more bits than these. */
    private final int mostHeld;

    private int nextSymbol;
    private long heldBits;
    private int heldCount;

    private char[] output;
    private int length;

    /** By code: where its phrase starts in the output, above its length. One array, so that one look is enough. */
    private long[] phrases;

    private LzDecompressor(String input, LzForm form, int maxChars) {
        if (maxChars < 0) {
            throw new IllegalArgumentException("maxChars must be at least 0: maxChars=" + maxChars);
        }
        this.input = input.toCharArray();
        this.form = form;
        this.maxChars = maxChars;
        this.mostHeld = Long.SIZE - form.bitsPerSymbol;
        long inputBits = (long) input.length() * form.bitsPerSymbol;
        this.output = new char[outputSize(Math.max(MIN_OUTPUT_CHARS, inputBits / 3))];
        this.phrases = new long[FIRST_PHRASE + 1 + (int) Math.min(1 << 16, inputBits / 8)];
    }

    static String decompress(String input, LzForm form, int maxChars) throws LzStringException {
        LzDecompressor run = new LzDecompressor(input, form, maxChars);
        run.run();
        return new String(run.output, 0, run.length);
    }

    private void run() throws LzStringException {
        int code = bits(2);
        if (code == END) {
            return;
        }
        if (code > END) {
            throw unknown(code);
        }
        int size = FIRST_PHRASE;
        appendLiteral(code);
        phrases[size++] = phrase(0, 1);
        long last = phrases[FIRST_PHRASE];
        while (true) {
            // A code has as many bits as the largest one possible now needs.
            code = bits(Integer.SIZE - Integer.numberOfLeadingZeros(size));
            if (size > phrases.length - 2) {
                phrases = Arrays.copyOf(phrases, phrases.length * 2);
            }
            int start = length;
            if (code > END) {
                // The code may name the very phrase that it completes.
                phrases[size] = last + 1;
                if (code > size) {
                    throw unknown(code);
                }
                size++;
                long found = phrases[code];
                appendCopy((int) (found >>> PLACE_BITS), (int) found);
                last = phrase(start, (int) found);
            } else if (code < END) {
                appendLiteral(code);
                phrases[size++] = phrase(start, 1);
                phrases[size++] = last + 1;
                last = phrase(start, 1);
            } else {
                return;
            }
        }
    }

    private static long phrase(int start, int length) {
        return (long) start << PLACE_BITS | length;
    }

    private void appendLiteral(int code) throws LzStringException {
        int literal = bits(code == LITERAL_8_BITS ? 8 : 16);
        ensureOutput(1);
        output[length++] = (char) literal;
    }

    /**
     * Copies forward one by one: the stretch may overlap its copy by one character. Most phrases are short, so four
     * characters are copied at a time, whether they belong to it or not: cheaper than branches hard to predict.
     */
    private void appendCopy(int start, int count) throws LzStringException {
        ensureOutput(count);
        char[] chars = output;
        int to = length;
        chars[to] = chars[start];
        chars[to + 1] = chars[start + 1];
        chars[to + 2] = chars[start + 2];
        chars[to + 3] = chars[start + 3];
        for (int i = BLIND_CHARS; i < count; i += BLIND_CHARS) {
            chars[to + i] = chars[start + i];
            chars[to + i + 1] = chars[start + i + 1];
            chars[to + i + 2] = chars[start + i + 2];
            chars[to + i + 3] = chars[start + i + 3];
        }
        length = to + count;
    }

    private int bits(int count) throws LzStringException {
        if (heldCount < count) {
            hold();
            if (heldCount < count) {
                throw missing();
            }
        }
        int bits = (int) heldBits & ((1 << count) - 1);
        heldBits >>>= count;
        heldCount -= count;
        return bits;
    }

    /** Takes as many symbols as fit, up to the end or a foreign one, which may well be behind the end mark. */
    private void hold() {
        char[] symbols = input;
        long bits = heldBits;
        int count = heldCount;
        int next = nextSymbol;
        while (count <= mostHeld && next < symbols.length) {
            int symbolBits = form.reversedBits(symbols[next]);
            if (symbolBits == LzForm.FOREIGN) {
                break;
            }
            next++;
            bits |= (long) symbolBits << count;
            count += form.bitsPerSymbol;
        }
        heldBits = bits;
        heldCount = count;
        nextSymbol = next;
    }

    private LzStringException missing() {
        return nextSymbol == input.length
                ? new LzStringException(Fault.TRUNCATED, "ends after " + nextSymbol + " characters without an end mark")
                : new LzStringException(
                        Fault.FOREIGN_SYMBOL,
                        "character U+%04X at %d is not of the form %s"
                                .formatted((int) input[nextSymbol], nextSymbol, form));
    }

    private void ensureOutput(int moreChars) throws LzStringException {
        if (moreChars > output.length - BLIND_CHARS - length) {
            if (moreChars > maxChars - length) {
                throw new LzStringException(Fault.TOO_LARGE, "decompresses to more than " + maxChars + " characters");
            }
            output = Arrays.copyOf(output, outputSize(Math.max(length + (long) moreChars, output.length * 2L)));
        }
    }

    private int outputSize(long chars) {
        return (int) Math.min(Math.min(chars, maxChars) + BLIND_CHARS, MAX_ARRAY_CHARS);
    }

    private LzStringException unknown(int code) {
        int character = nextSymbol - heldCount / form.bitsPerSymbol;
        return new LzStringException(
                Fault.UNKNOWN_CODE, "code " + code + " before character " + character + " names no phrase yet");
    }
}
