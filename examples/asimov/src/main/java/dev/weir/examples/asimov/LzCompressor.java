package dev.weir.examples.asimov;

import java.util.BitSet;

/**
 * One compression. Confined to the thread that runs it.
 *
 * <p>The dictionary is an open-addressing table. Its key is the code of a phrase and the next character, and its value
 * the code of the longer phrase. A phrase of one character has {@link #ROOT} in its key.
 */
final class LzCompressor {
    private static final int ROOT = 1;

    private final LzForm form;
    private final StringBuilder out = new StringBuilder();

    private long heldBits;
    private int heldCount;

    /** The number of codes that a decompressor knows at this point. It determines the width of the next code. */
    private int knownCodes = 2;

    private int nextCode = LzDecompressor.FIRST_PHRASE;

    /** Codes of single characters that have not been sent as literals. */
    private final BitSet pendingLiterals = new BitSet();

    // Slot: key = phrase code << 16 | character, 0 when free; value = code.
    private long[] keys = new long[1 << 8];
    private int[] codes = new int[1 << 8];

    private LzCompressor(LzForm form) {
        this.form = form;
    }

    static StringBuilder compress(String text, LzForm form) {
        LzCompressor run = new LzCompressor(form);
        run.run(text);
        return run.out;
    }

    private void run(String text) {
        int phrase = ROOT;
        char firstOfPhrase = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int literal = find(ROOT, c);
            if (literal == 0) {
                literal = add(ROOT, c);
                pendingLiterals.set(literal);
            }
            int longer = phrase == ROOT ? literal : find(phrase, c);
            if (longer == 0) {
                send(phrase, firstOfPhrase);
                add(phrase, c);
                longer = literal;
            }
            if (longer == literal) {
                firstOfPhrase = c;
            }
            phrase = longer;
        }
        if (phrase != ROOT) {
            send(phrase, firstOfPhrase);
        }
        bits(LzDecompressor.END, codeWidth());
        flush();
    }

    private void send(int phrase, char firstOfPhrase) {
        if (pendingLiterals.get(phrase)) {
            pendingLiterals.clear(phrase);
            boolean narrow = firstOfPhrase < 256;
            bits(narrow ? LzDecompressor.LITERAL_8_BITS : LzDecompressor.LITERAL_16_BITS, codeWidth());
            bits(firstOfPhrase, narrow ? 8 : 16);
            knownCodes++;
        } else {
            bits(phrase, codeWidth());
        }
        knownCodes++;
    }

    private int codeWidth() {
        return Integer.SIZE - Integer.numberOfLeadingZeros(knownCodes);
    }

    private void bits(int value, int count) {
        heldBits |= (long) value << heldCount;
        heldCount += count;
        while (heldCount >= form.bitsPerSymbol) {
            emit();
        }
    }

    /** Writes the remaining bits as a last character, even if there are none, like the reference implementation. */
    private void flush() {
        emit();
    }

    private void emit() {
        out.append(form.symbol((int) heldBits & ((1 << form.bitsPerSymbol) - 1)));
        heldBits >>>= form.bitsPerSymbol;
        heldCount -= form.bitsPerSymbol;
    }

    /** Returns the code of {@code phrase} followed by {@code c}, or 0 if there is none. */
    private int find(int phrase, char c) {
        return codes[slot(key(phrase, c))];
    }

    private int add(int phrase, char c) {
        if (nextCode * 2 > keys.length) {
            grow();
        }
        long key = key(phrase, c);
        int slot = slot(key);
        keys[slot] = key;
        codes[slot] = nextCode;
        return nextCode++;
    }

    private static long key(int phrase, char c) {
        return (long) phrase << 16 | c;
    }

    /** Returns the slot of {@code key}, or the free slot where it belongs. */
    private int slot(long key) {
        int mask = keys.length - 1;
        int slot = (int) ((key * 0x9E3779B97F4A7C15L) >>> 32) & mask;
        while (keys[slot] != 0 && keys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldCodes = codes;
        keys = new long[oldKeys.length * 2];
        codes = new int[oldCodes.length * 2];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != 0) {
                int slot = slot(oldKeys[i]);
                keys[slot] = oldKeys[i];
                codes[slot] = oldCodes[i];
            }
        }
    }
}
