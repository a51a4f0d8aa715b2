package dev.weir.lean.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.Corpus;
import dev.weir.lean.internal.batch.Batches;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.junit.jupiter.api.Test;

/**
 * Tests bytes that no broker should send. A seed determines mutations of the corpus and of generated batches, with
 * knowledge of their layout. {@link AnyBytes} checks the rules. {@link FetchFuzzTest} is guided by coverage instead.
 *
 * <p>{@code -Dweir.fuzz.seconds=600} runs longer; {@code -Dweir.fuzz.seed=N} replays a seed.
 */
class FuzzTest {

    private static final Duration TIME = Duration.ofSeconds(Integer.getInteger("weir.fuzz.seconds", 2));
    private static final long SEED = Long.getLong("weir.fuzz.seed", 42L);

    /** Positions and lengths of a batch header's numbers (see the diagram in BatchLayout). */
    private static final int[][] FIELDS = {
        {0, 8}, {8, 4}, {12, 4}, {16, 1}, {17, 4}, {21, 2}, {23, 4}, {27, 8}, {35, 8}, {43, 8}, {51, 2}, {53, 4},
        {57, 4}
    };

    private static final long[] NUMBERS = {
        0, 1, -1, 2, 60, 61, 127, 128, 255, 256, 1 << 20, 1 << 30, Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE
    };

    private static final int LENGTH_AT = 8;
    private static final int LOG_OVERHEAD = 12;
    private static final int HEADER_BYTES = 61;

    private final Random random = new Random(SEED);
    private final AnyBytes any = new AnyBytes();

    @Test
    void mutatedBatches_areDataOrATypedFault() {
        List<byte[]> corpus = new ArrayList<>(Corpus.batches().values());
        for (CompressionType codec : CompressionType.values()) {
            for (int seed = 0; seed < 4; seed++) {
                corpus.add(bytes(Batches.batch(codec, 7, Batches.records(seed, 1 + 20 * seed, 1 << (2 * seed)))));
                corpus.add(bytes(Batches.batch(
                        codec, TimestampType.LOG_APPEND_TIME, 5, true, Batches.records(seed, 3, 1 << (4 * seed)))));
            }
        }
        fuzz(corpus, any::batches);
    }

    @Test
    void mutatedResponses_areDataOrRefused() {
        List<byte[]> corpus = new ArrayList<>(Corpus.responses().values());
        for (short version = 13; version <= 17; version++) {
            corpus.add(bytes(Responses.of(version)));
        }
        fuzz(corpus, any::response);
    }

    private void fuzz(List<byte[]> corpus, Consumer<byte[]> target) {
        corpus.forEach(target);
        assertThat(any.records()).isPositive();
        long readBefore = any.records();
        long refusedBefore = any.refused();
        long end = System.nanoTime() + TIME.toNanos();
        while (System.nanoTime() < end) {
            byte[] input = mutated(corpus);
            try {
                target.accept(input);
            } catch (Throwable e) {
                throw new AssertionError("seed " + SEED + ", input " + Arrays.toString(input), e);
            }
        }
        assertThat(any.records())
                .as("a fuzzer whose every input is refused at the door tests nothing")
                .isGreaterThan(readBefore);
        assertThat(any.refused()).isGreaterThan(refusedBefore);
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.limit()];
        buffer.get(0, bytes);
        return bytes;
    }

    private byte[] mutated(List<byte[]> corpus) {
        byte[] bytes = corpus.get(random.nextInt(corpus.size())).clone();
        for (int changes = random.nextInt(4); changes > 0 && bytes.length > 0; changes--) {
            // Mutate the beginning more often, because it has more numbers.
            int at = random.nextInt(random.nextBoolean() ? bytes.length : Math.min(bytes.length, 80));
            switch (random.nextInt(8)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[at] = (byte) random.nextInt();
                case 2 -> bytes[at] = (byte) (random.nextBoolean() ? 0xff : 0x7f);
                case 3 -> bytes = Arrays.copyOf(bytes, at);
                case 4 -> bytes = Arrays.copyOf(bytes, bytes.length + random.nextInt(40));
                case 5 -> bytes = spliced(bytes, at, corpus.get(random.nextInt(corpus.size())));
                case 6 -> System.arraycopy(bytes, 0, bytes, at, Math.min(at, bytes.length - at));
                default -> field(bytes);
            }
        }
        return bytes;
    }

    private byte[] spliced(byte[] bytes, int at, byte[] other) {
        int from = random.nextInt(other.length + 1);
        byte[] result = Arrays.copyOf(bytes, at + other.length - from);
        System.arraycopy(other, from, result, at, other.length - from);
        return result;
    }

    private void field(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int at = 0;
        while (random.nextBoolean() && bytes.length - at > 2 * HEADER_BYTES) {
            int next = at + LOG_OVERHEAD + Math.max(0, buffer.getInt(at + LENGTH_AT));
            if (next < 0 || next > bytes.length - HEADER_BYTES) {
                break;
            }
            at = next;
        }
        if (bytes.length - at < HEADER_BYTES) {
            return;
        }
        int[] field = FIELDS[random.nextInt(FIELDS.length)];
        long number = NUMBERS[random.nextInt(NUMBERS.length)] + random.nextInt(3) - 1;
        for (int i = field[1] - 1; i >= 0; i--) {
            bytes[at + field[0] + i] = (byte) number;
            number >>= Byte.SIZE;
        }
    }
}
