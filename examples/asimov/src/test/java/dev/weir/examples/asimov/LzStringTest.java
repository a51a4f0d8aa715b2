package dev.weir.examples.asimov;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.examples.asimov.LzStringException.Fault;
import dev.weir.examples.asimov.Vectors.Vector;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class LzStringTest {
    private static final int NO_LIMIT = Integer.MAX_VALUE;

    static List<Vector> vectors() {
        return Vectors.read("lz-string.json");
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void compress_likeReference_givesTheSameCharacters(Vector vector) {
        String text = vector.text("text");
        assertThat(LzString.compress(text)).isEqualTo(vector.text("plain"));
        assertThat(LzString.compressToUtf16(text)).isEqualTo(vector.text("utf16"));
        assertThat(LzString.compressToBase64(text)).isEqualTo(vector.text("base64"));
        assertThat(LzString.compressToUriComponent(text)).isEqualTo(vector.text("uri"));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void decompress_whatReferenceMade_givesTheText(Vector vector) throws LzStringException {
        String text = vector.text("text");
        // The limit is exact.
        int most = text.length();
        assertThat(LzString.decompress(vector.text("plain"), most)).isEqualTo(text);
        assertThat(LzString.decompressFromUtf16(vector.text("utf16"), most)).isEqualTo(text);
        assertThat(LzString.decompressFromBase64(vector.text("base64"), most)).isEqualTo(text);
        assertThat(LzString.decompressFromUriComponent(vector.text("uri"), most))
                .isEqualTo(text);
        assertThat(LzString.decompressFromUriComponent(vector.text("uri").replace('+', ' '), most))
                .isEqualTo(text);
    }

    @ParameterizedTest
    @EnumSource
    void decompress_compressedSeededTexts_givesTheTexts(LzForm form) throws LzStringException {
        Random random = new Random(20260101);
        for (int run = 0; run < 1500; run++) {
            String text = randomText(random);
            String compressed = LzCompressor.compress(text, form).toString();
            assertThat(LzDecompressor.decompress(compressed, form, NO_LIMIT))
                    .as("run %d", run)
                    .isEqualTo(text);
        }
    }

    @ParameterizedTest
    @EnumSource
    void decompressToUtf8_compressedSeededTexts_givesTheWellFormedTexts(LzForm form) throws LzStringException {
        Random random = new Random(20260102);
        for (int run = 0; run < 1500; run++) {
            String text = run % 2 == 0 ? randomText(random) : randomEmoji(random);
            String compressed = LzCompressor.compress(text, form).toString();
            assertThat(LzDecompressor.decompressToUtf8(compressed, form, NO_LIMIT))
                    .as("run %d", run)
                    .isEqualTo(Text.wellFormed(text).getBytes(UTF_8));
        }
    }

    /** The limit counts characters, even if each has three bytes. */
    @Test
    void decompress_wideCharactersUpToTheLimit_givesThem() throws LzStringException {
        String text = "\u6c34\u00fc".repeat(1000);
        String compressed = LzString.compressToBase64(text);
        assertThat(LzString.decompressFromBase64(compressed, 2000)).isEqualTo(text);
        assertThat(LzString.decompressFromBase64ToUtf8(compressed, 2000)).isEqualTo(text.getBytes(UTF_8));
        assertThat(fault(compressed, LzForm.BASE64, 1999)).isEqualTo(Fault.TOO_LARGE);
    }

    @ParameterizedTest
    @EnumSource
    void decompress_randomSymbols_givesTextOrTypedException(LzForm form) {
        Random random = new Random(7);
        int most = 10_000;
        int texts = 0;
        int faults = 0;
        for (int run = 0; run < 20_000; run++) {
            StringBuilder noise = new StringBuilder();
            int length = random.nextInt(200);
            while (noise.length() < length) {
                noise.append(form.symbol(random.nextInt(1 << form.bitsPerSymbol)));
            }
            try {
                assertThat(LzDecompressor.decompress(noise.toString(), form, most))
                        .hasSizeLessThanOrEqualTo(most);
                texts++;
            } catch (LzStringException e) {
                faults++;
            }
        }
        assertThat(texts).isPositive();
        assertThat(faults).isPositive();
    }

    /** A thread reuses its arrays. Old contents must not affect a text or a fault. */
    @ParameterizedTest
    @EnumSource
    void decompress_onAThreadThatDidMuchBefore_givesTheSameAsOnANewOne(LzForm form) throws Exception {
        Random random = new Random(11);
        String large = LzCompressor.compress("much, and more than that: \u6c34 ".repeat(1000), form)
                .toString();
        for (int run = 0; run < 300; run++) {
            StringBuilder noise = new StringBuilder(
                    LzCompressor.compress(randomText(random), form).toString());
            if (run % 2 == 0) {
                noise.setCharAt(random.nextInt(noise.length()), form.symbol(random.nextInt(1 << form.bitsPerSymbol)));
            }
            int most = run % 3 == 0 ? 100 : 100_000;
            assertThat(LzDecompressor.decompress(large, form, NO_LIMIT)).startsWith("much");
            FutureTask<String> onANewThread = new FutureTask<>(() -> outcome(noise.toString(), form, most));
            Thread.ofPlatform().start(onANewThread);
            assertThat(outcome(noise.toString(), form, most)).as("run %d", run).isEqualTo(onANewThread.get());
        }
    }

    private static String outcome(String input, LzForm form, int most) {
        try {
            return "text " + LzDecompressor.decompress(input, form, most);
        } catch (LzStringException e) {
            return e.fault() + " " + e.getMessage();
        }
    }

    @ParameterizedTest
    @EnumSource
    void decompress_anyPrefix_saysTruncated(LzForm form) {
        String compressed =
                LzCompressor.compress("hello, hello, hello \u6c34\u6c34", form).toString();
        // The last character may be padding, so the prefix without it may contain the end mark.
        for (int length = 0; length < compressed.length() - 1; length++) {
            String prefix = compressed.substring(0, length);
            assertThat(fault(prefix, form, NO_LIMIT)).as(prefix).isEqualTo(Fault.TRUNCATED);
        }
    }

    @Test
    void decompress_foreignCharacter_saysWhichAndWhere() {
        assertThatThrownBy(() -> LzString.decompressFromBase64("BYUw!NmD2Q==", NO_LIMIT))
                .hasMessage("character U+0021 at 4 is not of the form BASE64");
        assertThat(fault("\u001f", LzForm.UTF16, NO_LIMIT)).isEqualTo(Fault.FOREIGN_SYMBOL);
        assertThat(fault("\u8020", LzForm.UTF16, NO_LIMIT)).isEqualTo(Fault.FOREIGN_SYMBOL);
        assertThat(fault("\u00e9", LzForm.URI, NO_LIMIT)).isEqualTo(Fault.FOREIGN_SYMBOL);
    }

    @Test
    void decompress_codeOfNoPhrase_saysSo() {
        // Two set bits are code 3, before any literal.
        assertThat(fault("\uffff", LzForm.PLAIN, NO_LIMIT)).isEqualTo(Fault.UNKNOWN_CODE);
    }

    @Test
    void decompress_bombOverLimit_saysTooLargeWithoutMakingIt() {
        String bomb = LzString.compressToBase64("0".repeat(5_000_000));
        assertThat(bomb).hasSizeLessThan(8_000);
        assertThat(fault(bomb, LzForm.BASE64, 4_999_999)).isEqualTo(Fault.TOO_LARGE);
        assertThat(fault(bomb, LzForm.BASE64, 0)).isEqualTo(Fault.TOO_LARGE);
    }

    @Test
    void decompress_negativeLimit_isRefused() {
        assertThatThrownBy(() -> LzString.decompress("x", -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxChars=-1");
    }

    private static Fault fault(String input, LzForm form, int maxChars) {
        return catchThrowableOfType(LzStringException.class, () -> LzDecompressor.decompress(input, form, maxChars))
                .fault();
    }

    /** Returns pairs of surrogates, and some lone ones. */
    private static String randomEmoji(Random random) {
        StringBuilder text = new StringBuilder();
        int emoji = random.nextInt(100);
        for (int i = 0; i < emoji; i++) {
            text.appendCodePoint(0x1F600 + random.nextInt(4)).append("a".repeat(random.nextInt(2)));
            if (random.nextInt(10) == 0) {
                text.deleteCharAt(random.nextInt(text.length()));
            }
        }
        return text.toString();
    }

    /** Returns text from a small alphabet with repetitions (long phrases), or from a large one (literals). */
    private static String randomText(Random random) {
        int alphabet = new int[] {2, 4, 26, 256, 65_536}[random.nextInt(5)];
        int length = random.nextInt(random.nextInt(10) == 0 ? 5_000 : 200);
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            if (random.nextInt(4) == 0 && !text.isEmpty()) {
                int from = random.nextInt(text.length());
                text.append(text, from, text.length());
            } else {
                text.append((char) random.nextInt(alphabet));
            }
        }
        return text.substring(0, length);
    }
}
