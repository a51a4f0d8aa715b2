package dev.weir.examples.asimov.naive;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * A line-by-line translation of the npm package lz-string's decompressor. Reads one bit at a time and keeps a
 * dictionary of strings. Confined to the thread that runs it.
 */
final class NaiveLzString {
    private static final String BASE64_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    private static final Map<Character, Integer> BASE64_VALUES = new HashMap<>();

    static {
        for (int i = 0; i < BASE64_ALPHABET.length(); i++) {
            BASE64_VALUES.put(BASE64_ALPHABET.charAt(i), i);
        }
    }

    private final String input;
    private final int resetValue;
    private final IntUnaryOperator getNextValue;
    private final int maxChars;

    // These fields correspond to the "data" object in the JavaScript original.
    private int val;
    private int position;
    private int index = 1;

    private NaiveLzString(String input, int resetValue, IntUnaryOperator getNextValue, int maxChars) {
        this.input = input;
        this.resetValue = resetValue;
        this.getNextValue = getNextValue;
        this.maxChars = maxChars;
        this.val = next(0);
        this.position = resetValue;
    }

    static String decompressFromBase64(String input, int maxChars) {
        return new NaiveLzString(input, 32, index -> BASE64_VALUES.getOrDefault(input.charAt(index), -1), maxChars)
                .decompress();
    }

    static String decompressFromUtf16(String input, int maxChars) {
        return new NaiveLzString(input, 16384, index -> input.charAt(index) - 32, maxChars).decompress();
    }

    private String decompress() {
        List<String> dictionary = new ArrayList<>(List.of("", "", ""));
        List<String> result = new ArrayList<>();
        int chars = 1;
        int enlargeIn = 4;
        int numBits = 3;
        String w;
        switch (readBits(2)) {
            case 0 -> w = String.valueOf((char) readBits(8));
            case 1 -> w = String.valueOf((char) readBits(16));
            case 2 -> {
                return "";
            }
            default -> throw unknown(3);
        }
        dictionary.add(w);
        result.add(w);
        while (true) {
            int c = readBits(numBits);
            if (c == 2) {
                return String.join("", result);
            }
            if (c < 2) {
                dictionary.add(String.valueOf((char) readBits(c == 0 ? 8 : 16)));
                c = dictionary.size() - 1;
                enlargeIn--;
            }
            if (enlargeIn == 0) {
                enlargeIn = (int) Math.pow(2, numBits);
                numBits++;
            }
            String entry;
            if (c < dictionary.size()) {
                entry = dictionary.get(c);
            } else if (c == dictionary.size()) {
                entry = w + w.charAt(0);
            } else {
                throw unknown(c);
            }
            result.add(entry);
            chars += entry.length();
            if (chars > maxChars) {
                throw new TooLargeException("decompresses to more than " + maxChars + " characters");
            }
            dictionary.add(w + entry.charAt(0));
            enlargeIn--;
            w = entry;
            if (enlargeIn == 0) {
                enlargeIn = (int) Math.pow(2, numBits);
                numBits++;
            }
        }
    }

    private int readBits(int count) {
        int bits = 0;
        int maxPower = (int) Math.pow(2, count);
        int power = 1;
        while (power != maxPower) {
            if (index > input.length()) {
                throw new IllegalArgumentException("ends after " + input.length() + " characters without an end mark");
            }
            int resb = val & position;
            position >>= 1;
            if (position == 0) {
                position = resetValue;
                val = next(index++);
            }
            bits |= (resb > 0 ? 1 : 0) * power;
            power <<= 1;
        }
        return bits;
    }

    /** Returns the character at {@code at}, or 0 after the end: the original reads one character ahead. */
    private int next(int at) {
        if (at >= input.length()) {
            return 0;
        }
        int value = getNextValue.applyAsInt(at);
        if (value < 0 || value >= 2 * resetValue) {
            throw new IllegalArgumentException(
                    "character U+%04X at %d is not of its form".formatted((int) input.charAt(at), at));
        }
        return value;
    }

    private static IllegalArgumentException unknown(int code) {
        return new IllegalArgumentException("code " + code + " names no phrase yet");
    }

    /** Thrown if the decompressed text would be longer than allowed. */
    static final class TooLargeException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        TooLargeException(String message) {
            super(message);
        }
    }
}
