package dev.weir.lean.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.HeadersView;
import dev.weir.lean.PartitionException;
import dev.weir.lean.internal.batch.AbortedTransactions;
import dev.weir.lean.internal.batch.BatchReader;
import dev.weir.lean.internal.batch.Batches;
import dev.weir.lean.internal.batch.Decompressor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Bytes that nobody should send: real batches and responses, mutated by a seed. Whatever comes, it is data or a typed fault
 * with partition and offset, in bounded time and memory. Each input lies in a buffer of exactly its size, so that a read past
 * it is an exception that nothing here expects.
 *
 * <p>{@code -Dweir.fuzz.seconds=600} runs longer; {@code -Dweir.fuzz.seed=N} replays.
 */
class FuzzTest {

    private static final Duration TIME = Duration.ofSeconds(Integer.getInteger("weir.fuzz.seconds", 3));
    private static final long SEED = Long.getLong("weir.fuzz.seed", 42L);

    /** What may come out of a batch. */
    private static final int LIMIT = 256 * 1024;

    private static final int CRC_AT = 17;
    private static final int ATTRIBUTES_AT = 21;

    private final Random random = new Random(SEED);
    private final BatchReader reader = new BatchReader(new Decompressor(LIMIT));
    private final FetchResponse response = new FetchResponse();
    private long read;
    private long refused;

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void mutatedBatches_areDataOrATypedFault(CompressionType codec) {
        List<ByteBuffer> corpus = new ArrayList<>();
        for (int seed = 0; seed < 8; seed++) {
            corpus.add(Batches.batch(codec, 1_000, Batches.records(seed, 1 + 10 * seed, 1 << seed)));
            corpus.add(Batches.batch(
                    codec, TimestampType.LOG_APPEND_TIME, 5, true, Batches.records(seed, 3, 1 << (2 * seed))));
        }
        corpus.add(Batches.marker(9, false));
        corpus.add(Batches.marker(9, true));
        long end = System.nanoTime() + TIME.toNanos();
        int rounds = 0;
        while (System.nanoTime() < end) {
            readBatch(mutated(corpus.get(random.nextInt(corpus.size())), true));
            rounds++;
        }
        assertThat(rounds).isPositive();
        assertThat(read)
                .as("a fuzzer whose every input is refused at the door tests nothing")
                .isPositive();
        assertThat(refused).isPositive();
    }

    private void readBatch(ByteBuffer bytes) {
        reader.of("t", 1, 0);
        AbortedTransactions aborted = new AbortedTransactions();
        aborted.add(Batches.PRODUCER, 0);
        try {
            for (int at = 0; at < bytes.limit(); at += reader.sizeBytes()) {
                reader.open(bytes, at, bytes.limit());
                reader.verify();
                boolean visible = reader.isVisible(random.nextBoolean() ? aborted : null);
                reader.start(random.nextInt(4) == 0 ? 1_003 : 0);
                while (visible && reader.next()) {
                    touch();
                }
            }
        } catch (PartitionException e) {
            refused++;
            assertThat(e.topic()).isEqualTo("t");
            assertThat(e.partition()).isEqualTo(1);
        }
        assertThat(bytes.position()).isZero();
        assertThat(bytes.limit()).isEqualTo(bytes.capacity());
    }

    private void touch() {
        var record = reader.record();
        read += record.key().toBytes().length + record.value().toBytes().length + (record.timestamp() & 1) + 1;
        HeadersView headers = record.headers();
        while (headers.next()) {
            read += headers.key().toUtf8().length() + headers.value().toBytes().length;
        }
        assertThat(record.value().length()).isLessThanOrEqualTo(LIMIT);
    }

    @Test
    void mutatedResponses_areDataOrRefused() {
        long end = System.nanoTime() + TIME.toNanos();
        while (System.nanoTime() < end) {
            ByteBuffer bytes = mutated(Responses.of((short) random.nextInt(13, 18)), false);
            if (bytes.limit() < Integer.BYTES) {
                continue;
            }
            try {
                long records = Responses.walk(response, bytes, false);
                assertThat(records).isLessThanOrEqualTo(bytes.limit());
                read++;
                Responses.walk(response, bytes, true);
            } catch (MalformedResponseException e) {
                refused++;
            }
        }
        assertThat(read).isPositive();
        assertThat(refused).isPositive();
    }

    /** Flips, overwrites, cuts, repeats; mends the checksum of a batch most of the time, or nothing behind it would be reached. */
    private ByteBuffer mutated(ByteBuffer original, boolean mend) {
        byte[] bytes = new byte[original.limit()];
        original.get(0, bytes);
        for (int changes = random.nextInt(4); changes > 0 && bytes.length > 0; changes--) {
            // Most of what can go wrong is at the beginning.
            int at = random.nextInt(random.nextBoolean() ? bytes.length : Math.min(bytes.length, 80));
            switch (random.nextInt(6)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[at] = (byte) random.nextInt();
                case 2 -> bytes[at] = (byte) (random.nextBoolean() ? 0xff : 0x7f);
                case 3 -> bytes = Arrays.copyOf(bytes, at);
                case 4 -> bytes = Arrays.copyOf(bytes, bytes.length + random.nextInt(40));
                default -> System.arraycopy(bytes, 0, bytes, at, Math.min(at, bytes.length - at));
            }
        }
        ByteBuffer result = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
        if (mend && random.nextInt(10) > 0 && bytes.length > ATTRIBUTES_AT) {
            if (random.nextBoolean()) {
                result.putInt(8, bytes.length - 12);
            }
            CRC32C crc = new CRC32C();
            int size = Math.clamp(result.getInt(8) + 12L, ATTRIBUTES_AT, bytes.length);
            crc.update(result.slice(ATTRIBUTES_AT, size - ATTRIBUTES_AT));
            result.putInt(CRC_AT, (int) crc.getValue());
        }
        return result;
    }
}
