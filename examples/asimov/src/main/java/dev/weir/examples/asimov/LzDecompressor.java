package dev.weir.examples.asimov;

import dev.weir.examples.asimov.LzStringException.Fault;
import java.util.Arrays;

/**
 * One decompression. Confined to the thread that runs it.
 *
 * <p>Every phrase of the dictionary is a stretch of the output already written: "the phrase before, and the first
 * character of what followed it". So the dictionary is two int arrays, and no phrase is ever a string of its own.
 * Work and memory are linear in the input and the allowed output, whatever the input says.
 */
final class LzDecompressor {
    // Codes of the stream; phrases are numbered from FIRST_PHRASE.
    static final int LITERAL_8_BITS = 0;
    static final int LITERAL_16_BITS = 1;
    static final int END = 2;
    static final int FIRST_PHRASE = 3;

    private static final int MIN_OUTPUT_CHARS = 64;

    /** How many characters {@link #appendCopy} always writes; so many are spare at the output's end. */
    private static final int BLIND_CHARS = 4;

    private static final int MAX_ARRAY_CHARS = Integer.MAX_VALUE - 8;

    private final String input;
    private final LzForm form;
    private final int maxChars;

    private int nextSymbol;
    private long heldBits;
    private int heldCount;

    private char[] output;
    private int length;

    private int[] phraseStart;
    private int[] phraseLength;

    private LzDecompressor(String input, LzForm form, int maxChars) {
        if (maxChars < 0) {
            throw new IllegalArgumentException("maxChars must be at least 0: maxChars=" + maxChars);
        }
        this.input = input;
        this.form = form;
        this.maxChars = maxChars;
        long inputBits = (long) input.length() * form.bitsPerSymbol;
        this.output = new char[outputSize(Math.max(MIN_OUTPUT_CHARS, inputBits / 3))];
        int phrases = FIRST_PHRASE + 1 + (int) Math.min(1 << 16, inputBits / 8);
        this.phraseStart = new int[phrases];
        this.phraseLength = new int[phrases];
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
        phraseLength[size++] = 1;
        int lastStart = 0;
        int lastLength = 1;
        while (true) {
            // A code has as many bits as the largest one possible now needs.
            code = bits(Integer.SIZE - Integer.numberOfLeadingZeros(size));
            if (code == END) {
                return;
            }
            ensurePhrases(size + 2);
            int start = length;
            if (code < END) {
                appendLiteral(code);
                phraseStart[size] = start;
                phraseLength[size++] = 1;
                addPhrase(size++, lastStart, lastLength);
                lastLength = 1;
            } else {
                // The code may name the very phrase that it completes.
                addPhrase(size, lastStart, lastLength);
                if (code > size) {
                    throw unknown(code);
                }
                size++;
                lastLength = phraseLength[code];
                appendCopy(phraseStart[code], lastLength);
            }
            lastStart = start;
        }
    }

    private void addPhrase(int code, int lastStart, int lastLength) {
        phraseStart[code] = lastStart;
        phraseLength[code] = lastLength + 1;
    }

    private void appendLiteral(int code) throws LzStringException {
        int literal = bits(code == LITERAL_8_BITS ? 8 : 16);
        ensureOutput(1);
        output[length++] = (char) literal;
    }

    /**
     * Copies forward one by one: the stretch may overlap its copy by one character. Most phrases are short, so the
     * first few characters are copied whether they belong to it or not: cheaper than a branch that is hard to predict.
     */
    private void appendCopy(int start, int count) throws LzStringException {
        ensureOutput(count);
        char[] chars = output;
        int to = length;
        chars[to] = chars[start];
        chars[to + 1] = chars[start + 1];
        chars[to + 2] = chars[start + 2];
        chars[to + 3] = chars[start + 3];
        for (int i = BLIND_CHARS; i < count; i++) {
            chars[to + i] = chars[start + i];
        }
        length = to + count;
    }

    private int bits(int count) throws LzStringException {
        while (heldCount < count) {
            if (nextSymbol == input.length()) {
                throw new LzStringException(
                        Fault.TRUNCATED, "ends after " + nextSymbol + " characters without an end mark");
            }
            int symbolBits = form.reversedBits(input.charAt(nextSymbol));
            if (symbolBits == LzForm.FOREIGN) {
                throw new LzStringException(
                        Fault.FOREIGN_SYMBOL,
                        "character U+%04X at %d is not of the form %s"
                                .formatted((int) input.charAt(nextSymbol), nextSymbol, form));
            }
            nextSymbol++;
            heldBits |= (long) symbolBits << heldCount;
            heldCount += form.bitsPerSymbol;
        }
        int bits = (int) heldBits & ((1 << count) - 1);
        heldBits >>>= count;
        heldCount -= count;
        return bits;
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

    private void ensurePhrases(int needed) {
        if (needed > phraseStart.length) {
            phraseStart = Arrays.copyOf(phraseStart, needed * 2);
            phraseLength = Arrays.copyOf(phraseLength, needed * 2);
        }
    }

    private LzStringException unknown(int code) {
        return new LzStringException(
                Fault.UNKNOWN_CODE, "code " + code + " before character " + nextSymbol + " names no phrase yet");
    }
}
