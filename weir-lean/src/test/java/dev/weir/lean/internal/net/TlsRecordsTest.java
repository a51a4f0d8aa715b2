package dev.weir.lean.internal.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that a request of many buffers needs few TLS records. Otherwise, each buffer would cost a TLS record and a
 * system call.
 */
@Timeout(120)
class TlsRecordsTest {

    private static final int OWN_BYTES = 100;

    @TempDir
    private static Path folder;

    /** A buffer is short if it has less than 16,128 bytes. */
    @ParameterizedTest
    @CsvSource({
        "200, 50, 1", // one batch of each of many partitions
        "700, 50, 3",
        "1, 16127, 2",
        "3, 16128, 4",
        "2, 40000, 7",
    })
    void shortBuffers_shareRecords_andLongOnesGoFromWhereTheyLie(int buffers, int bytes, int records) throws Exception {
        assertSentIn(records, IntStream.range(0, buffers).map(each -> bytes).toArray());
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3"})
    void buffersOfAnyLength_arriveInOrder(int seed) throws Exception {
        Random random = new Random(seed);
        int[] sizes = IntStream.range(0, 300)
                .map(each -> random.nextInt(10) == 0 ? random.nextInt(50_000) : random.nextInt(500))
                .toArray();
        assertSentIn(Integer.MAX_VALUE, sizes);
    }

    private static void assertSentIn(int mostRecords, int[] sizes) throws Exception {
        Random random = new Random(1);
        List<ByteBuffer> inserted = Arrays.stream(sizes)
                .mapToObj(size -> {
                    byte[] bytes = new byte[size];
                    random.nextBytes(bytes);
                    return ByteBuffer.allocateDirect(size + 1)
                            .put(1, bytes)
                            .position(1)
                            .asReadOnlyBuffer();
                })
                .toList();
        ByteBuffer expected = ByteBuffer.allocate(
                Integer.BYTES + OWN_BYTES + Arrays.stream(sizes).sum());
        expected.putInt(expected.capacity() - Integer.BYTES).putInt(1).position(Integer.BYTES + OWN_BYTES);
        inserted.forEach(each -> expected.put(each.duplicate()));
        byte[] request = new byte[expected.capacity()];
        try (Peer peer = new Peer(TlsKeys.client(folder), TlsKeys.server(folder))) {
            FutureTask<Integer> reader = new FutureTask<>(() -> {
                int pieces = peer.readInPieces(request);
                peer.answer(1);
                return pieces;
            });
            Thread.ofPlatform().daemon().name("reader").start(reader);
            peer.send(ApiKeys.PRODUCE, OWN_BYTES, inserted);
            peer.pollUntil(() -> !peer.answered.isEmpty());
            assertThat(reader.get(1, TimeUnit.MINUTES)).isLessThanOrEqualTo(mostRecords);
        }
        assertThat(request).isEqualTo(expected.array());
    }
}
