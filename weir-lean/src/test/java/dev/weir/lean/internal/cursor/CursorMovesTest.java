package dev.weir.lean.internal.cursor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.PartitionException;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.RecordView;
import dev.weir.lean.internal.batch.BatchReader;
import dev.weir.lean.internal.batch.Batches;
import dev.weir.lean.internal.batch.Decompressor;
import dev.weir.lean.internal.net.ReceiveBuffer;
import dev.weir.lean.internal.net.ReceiveBuffers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.record.internal.CompressionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a cursor's limits, interruptions and moves, and the end of an unreadable batch. */
class CursorMovesTest {

    private static final int LENGTH_AT = 8;
    private static final int LAST_DELTA_AT = 23;
    private static final int HEADER_BYTES = 61;
    private static final int LOG_OVERHEAD = 12;

    private final BatchReader reader = new BatchReader(new Decompressor(1024 * 1024));
    private final ChunkPool pool = new ChunkPool(Long.MAX_VALUE);
    private final PartitionCursor cursor = new PartitionCursor("t", 3, 9, false, true, pool);
    private final ReceiveBuffer received = ReceiveBuffers.empty();
    private final List<String> counted = new ArrayList<>();

    private final PartitionCursor.Tally tally = new PartitionCursor.Tally() {
        @Override
        public void delivered(int records, int bytes) {
            counted.add(records + " records, " + bytes + " bytes");
        }

        @Override
        public void leftOut() {
            counted.add("left out");
        }
    };

    private static ByteBuffer batch(long offset) {
        return Batches.batch(CompressionType.NONE, offset, Batches.records(1, 3, 20));
    }

    private ResponseChunk add(ByteBuffer bytes) {
        received.bytes().put(0, bytes, 0, bytes.limit());
        ResponseChunk chunk = pool.take();
        chunk.wrap(received, 0, bytes.limit());
        cursor.add(chunk);
        return chunk;
    }

    private int deliver(int limit, RecordHandler handler) {
        return cursor.deliver(reader, handler, null, limit, tally);
    }

    private List<Long> deliver(int limit) {
        List<Long> offsets = new ArrayList<>();
        assertThat(deliver(limit, record -> offsets.add(record.offset()))).isEqualTo(offsets.size());
        return offsets;
    }

    private List<Long> deliverUntil(long last, Runnable then) {
        List<Long> offsets = new ArrayList<>();
        int delivered = deliver(100, record -> {
            offsets.add(record.offset());
            if (record.offset() == last) {
                then.run();
            }
        });
        assertThat(delivered).isEqualTo(offsets.size());
        return offsets;
    }

    @Test
    void cursor_namesItsPartition_andCountsItsMoves() {
        assertThat(cursor.topic()).isEqualTo("t");
        assertThat(cursor.partition()).isEqualTo(3);
        assertThat(cursor.index()).isEqualTo(9);
        assertThat(cursor.position()).isEqualTo(-1);
        assertThat(cursor.leaderEpoch()).isEqualTo(-1);
        assertThat(cursor.hasChunks()).isFalse();
        cursor.moveTo(7, 4);
        cursor.moveTo(8, 6);
        assertThat(cursor.moves()).isEqualTo(2);
        assertThat(cursor.position()).isEqualTo(8);
        assertThat(cursor.leaderEpoch()).isEqualTo(6);
        add(batch(8));
        assertThat(cursor.hasChunks()).isTrue();
    }

    @Test
    void record_namesItsPartition_andIsGoneAfterTheDelivery() {
        cursor.moveTo(0, -1);
        add(batch(0));
        List<RecordView> kept = new ArrayList<>();
        deliver(1, record -> {
            assertThat(record.topic()).isEqualTo("t");
            assertThat(record.partition()).isEqualTo(3);
            assertThat(record.index()).isEqualTo(9);
            kept.add(record);
        });
        assertThat(kept.getFirst().value().isNull()).isTrue();
    }

    @Test
    void delivery_endsAfterTheBatchThatReachesTheLimit() {
        cursor.moveTo(0, -1);
        add(Batches.joined(batch(0), batch(3), batch(6)));
        assertThat(deliver(3)).containsExactly(0L, 1L, 2L);
        assertThat(deliver(4)).containsExactly(3L, 4L, 5L, 6L, 7L, 8L);
        assertThat(cursor.position()).isEqualTo(9);
        assertThat(cursor.leaderEpoch()).isEqualTo(Batches.EPOCH);
    }

    @Test
    void chunk_thatIsDelivered_goesBackToThePool_andFreesItsResponse() {
        cursor.moveTo(0, -1);
        ResponseChunk chunk = add(batch(0));
        assertThat(deliver(100)).hasSize(3);
        assertThat(cursor.hasChunks()).isFalse();
        assertThat(pool.take()).isSameAs(chunk);
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(received::release);
    }

    @Test
    void chunk_thatIsCopied_freesItsResponse() {
        cursor.moveTo(0, -1);
        add(batch(0));
        assertThat(cursor.detach()).isEqualTo(batch(0).limit());
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(received::release);
        assertThat(deliver(100)).containsExactly(0L, 1L, 2L);
    }

    @Test
    void copiesOfDeliveredChunks_areUsedAgain() {
        cursor.moveTo(0, -1);
        Set<ByteBuffer> copies = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < 3; i++) {
            ResponseChunk chunk = add(batch(3L * i));
            cursor.detach();
            copies.add(chunk.bytes());
            assertThat(deliver(100)).hasSize(3);
        }
        assertThat(copies).hasSize(1);
    }

    // ---- Interruptions and moves -----------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({"0, 1 2 3 4 5", "1, 2 3 4 5", "2, 3 4 5"})
    void interruptedDelivery_continuesBehindTheRecordThatWasHandled(long last, String rest) {
        cursor.moveTo(0, -1);
        add(Batches.joined(batch(0), batch(3)));
        assertThat(deliverUntil(last, cursor::interrupt)).hasSize((int) last + 1);
        assertThat(cursor.position()).isEqualTo(last + 1);
        assertThat(cursor.leaderEpoch()).isEqualTo(Batches.EPOCH);
        assertThat(counted).containsExactly((last + 1) + " records, " + (last == 2 ? batch(0).limit() : 0) + " bytes");
        assertThat(deliver(100)).map(String::valueOf).isEqualTo(List.of(rest.split(" ")));
    }

    @Test
    void moveFromWithinAHandler_endsTheDelivery_andWins() {
        cursor.moveTo(0, -1);
        add(Batches.joined(batch(0), batch(3)));
        assertThat(deliverUntil(1, () -> cursor.moveTo(40, 2))).containsExactly(0L, 1L);
        assertThat(cursor.position()).isEqualTo(40);
        assertThat(cursor.leaderEpoch()).isEqualTo(2);
        assertThat(counted).containsExactly("2 records, 0 bytes");
        assertThat(deliver(100)).isEmpty();
    }

    @Test
    void moveFromWithinAHandler_toTheNextBatch_dropsTheOldOne() {
        cursor.moveTo(0, -1);
        add(batch(0));
        assertThat(deliverUntil(2, () -> {
                    cursor.moveTo(3, 2);
                    add(batch(3));
                }))
                .hasSize(3);
        assertThat(cursor.leaderEpoch()).isEqualTo(2);
        assertThat(deliver(100)).containsExactly(3L, 4L, 5L);
    }

    @Test
    void moveFromWithinABatchHandler_wins() {
        cursor.moveTo(0, -1);
        add(Batches.joined(batch(0), batch(3)));
        int delivered = cursor.deliver(reader, null, batch -> cursor.moveTo(40, 2), 100, tally);
        assertThat(delivered).isEqualTo(3);
        assertThat(cursor.position()).isEqualTo(40);
        assertThat(counted).containsExactly("3 records, 0 bytes");
    }

    @Test
    void interruptFromWithinABatchHandler_endsTheDeliveryBehindTheBatch() {
        cursor.moveTo(0, -1);
        add(Batches.joined(batch(0), batch(3)));
        assertThat(cursor.deliver(reader, null, batch -> cursor.interrupt(), 100, tally))
                .isEqualTo(3);
        assertThat(cursor.position()).isEqualTo(3);
        assertThat(deliver(100)).containsExactly(3L, 4L, 5L);
    }

    // ---- Batches that cannot be read -------------------------------------------------------------------------------

    @Test
    void wrongChecksum_isFound_andThePositionStands() {
        ByteBuffer bytes = batch(5);
        bytes.put(bytes.limit() - 1, (byte) ~bytes.get(bytes.limit() - 1));
        cursor.moveTo(5, -1);
        add(bytes);
        assertThatExceptionOfType(PartitionException.class)
                .isThrownBy(() -> deliver(100))
                .withMessageStartingWith("t-3@5");
        assertThat(cursor.position()).isEqualTo(5);
        assertThat(cursor.offsetBehindBatch(100)).isEqualTo(8);
        assertThat(cursor.copyOfBatch()).isEqualTo(array(bytes));
    }

    private static byte[] array(ByteBuffer bytes) {
        byte[] array = new byte[bytes.limit()];
        bytes.get(0, array);
        return array;
    }

    /** Overwrites a batch's last offset, and adds a batch with the given base offset. */
    @ParameterizedTest
    @CsvSource({
        // If both offsets are plausible, the lower one counts.
        "7, 8, 100, 8",
        "9, 8, 100, 8",
        "7, 9, 100, 8",
        // An offset is implausible beyond the end of the log, or not after the position.
        "99, 9, 100, 9",
        "100, 9, 100, 9",
        "7, 101, 100, 8",
        "7, 100, 100, 8",
        "4, 9, 100, 9",
        "5, 9, 100, 6",
        "7, 5, 100, 8",
        "7, 6, 100, 6",
        // The end of the log is plausible. If neither offset is plausible, the cursor skips one offset.
        "9, 30, 10, 10",
        "30, 10, 10, 10",
        "30, 30, 10, 6",
        "4, 5, 100, 6"
    })
    void offsetBehindABatch_isTheLowerOneOfTheTwoThatAreBelieved(long last, long next, long logEnd, long behind) {
        cursor.moveTo(5, -1);
        add(Batches.joined(batch(5).putInt(LAST_DELTA_AT, (int) (last - 5)), batch(next)));
        assertThat(cursor.offsetBehindBatch(logEnd)).isEqualTo(behind);
    }

    /** The next batch counts only if its base offset and its length were received. */
    @ParameterizedTest
    @CsvSource({"11, 30", "12, 8", "13, 8"})
    void nextBatch_thatHasNotComeFarEnough_isNotAsked(int ofNext, long behind) {
        ByteBuffer first = batch(5).putInt(LAST_DELTA_AT, 24);
        ByteBuffer both = Batches.joined(first, batch(8));
        both.limit(first.limit() + ofNext);
        cursor.moveTo(5, -1);
        add(both);
        assertThat(cursor.offsetBehindBatch(100)).isEqualTo(behind);
    }

    @ParameterizedTest
    @CsvSource({"60, 30", "61, 8", "0, 30", "-1, 30", "-2147483648, 30", "2147483647, 30"})
    void sizeThatMakesNoSense_isNotFollowed(long size, long behind) {
        // The next batch's base offset is where the first batch would end if it had only a header.
        ByteBuffer bytes = batch(5).putInt(LAST_DELTA_AT, 24).putInt(LENGTH_AT, (int) (size - LOG_OVERHEAD));
        bytes.putLong(Math.clamp(size, 30, HEADER_BYTES), 8);
        cursor.moveTo(5, -1);
        add(bytes);
        assertThat(cursor.offsetBehindBatch(100)).isEqualTo(behind);
    }

    @ParameterizedTest
    @CsvSource({"0, 6", "60, 6", "61, 8"})
    void batch_whoseHeaderHasNotCome_isBehindByOne(int came, long behind) {
        cursor.moveTo(5, -1);
        add(batch(5).limit(came));
        assertThat(cursor.offsetBehindBatch(100)).isEqualTo(behind);
    }

    @Test
    void cursorWithoutChunks_skipsOneOffset_andHasNoCopy() {
        cursor.moveTo(5, -1);
        assertThat(cursor.offsetBehindBatch(100)).isEqualTo(6);
        assertThat(cursor.copyOfBatch()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 11, 12, 60, 61, 62})
    void copyOfABatch_isWhatHasCome_onceItsSizeHas(int came) {
        ByteBuffer bytes = batch(5);
        cursor.moveTo(5, -1);
        add(bytes.limit(came));
        byte[] copy = cursor.copyOfBatch();
        assertThat(copy == null ? -1 : copy.length).isEqualTo(came < LOG_OVERHEAD ? -1 : came);
    }

    @ParameterizedTest
    @CsvSource({"60, 122", "61, 61", "62, 62", "121, 121", "122, 122", "123, 122", "-1, 122"})
    void copyOfABatch_endsWhereItSays_ifThatMakesSense(int size, int copied) {
        ByteBuffer bytes = ByteBuffer.allocate(2 * HEADER_BYTES).putInt(LENGTH_AT, size - LOG_OVERHEAD);
        cursor.moveTo(5, -1);
        add(bytes);
        assertThat(Objects.requireNonNull(cursor.copyOfBatch())).hasSize(copied);
    }

    /** After the first batch, the cursor must measure from the start of the second batch. */
    @Test
    void secondBatch_isMeasuredFromItsOwnBeginning() {
        ByteBuffer second = batch(8);
        cursor.moveTo(5, -1);
        add(Batches.joined(batch(5), second, batch(11).limit(LOG_OVERHEAD)));
        assertThat(deliver(1)).hasSize(3);
        assertThat(cursor.copyOfBatch()).isEqualTo(array(second));
        assertThat(cursor.offsetBehindBatch(100)).isEqualTo(11);
        assertThat(cursor.offsetBehindBatch(9)).isEqualTo(9);
    }

    @ParameterizedTest
    @CsvSource({"11, -1", "12, 12", "60, 60"})
    void secondBatch_thatIsCut_isMeasuredFromItsOwnBeginning(int came, int copied) {
        cursor.moveTo(5, -1);
        add(Batches.joined(batch(5), batch(8).limit(came)));
        assertThat(deliver(1)).hasSize(3);
        assertThat(cursor.offsetBehindBatch(100)).isEqualTo(9);
        byte[] copy = cursor.copyOfBatch();
        assertThat(copy == null ? -1 : copy.length).isEqualTo(copied);
    }

    @Test
    void batchBehindTheSecondOne_isNotAsked_ifItHasNotComeFarEnough() {
        cursor.moveTo(5, -1);
        ByteBuffer second = batch(8).putInt(LAST_DELTA_AT, 20);
        add(Batches.joined(batch(5), second, batch(11).limit(LOG_OVERHEAD - 1)));
        assertThat(deliver(1)).hasSize(3);
        assertThat(cursor.offsetBehindBatch(100)).isEqualTo(29);
    }

    @Test
    void position_withinADelivery_isThatOfTheRecordThatIsHandled() {
        cursor.moveTo(0, -1);
        add(batch(0));
        assertThat(deliver(1, record -> assertThat(cursor.position()).isEqualTo(record.offset())))
                .isEqualTo(3);
    }
}
