package dev.weir.lean.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.RequestUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests truncated fetch responses, missing parts, and lengths beyond the end. */
class FetchResponseTest {

    private static final short VERSION = 17;

    /** Bytes after the last partition's records: the tags of the partition, the topic and the response. */
    private static final int BEHIND_RECORDS = 3;

    private final FetchResponse response = new FetchResponse();

    private static byte[] bytes(FetchResponseData data) {
        ByteBuffer bytes =
                RequestUtils.serialize(new ResponseHeaderData().setCorrelationId(1), (short) 1, data, VERSION);
        byte[] all = new byte[bytes.remaining()];
        bytes.get(all);
        return all;
    }

    private static byte[] bytes(PartitionData... partitions) {
        return bytes(new FetchResponseData()
                .setResponses(List.of(
                        new FetchableTopicResponse().setTopicId(new Uuid(1, 2)).setPartitions(List.of(partitions)))));
    }

    private static PartitionData partition(int number) {
        return new PartitionData().setPartitionIndex(number).setRecords(MemoryRecords.EMPTY);
    }

    private static PartitionData withRecords(int bytes) {
        return partition(5).setRecords(MemoryRecords.readableRecords(ByteBuffer.allocate(bytes)));
    }

    private void wrap(byte[] bytes, boolean cut) throws MalformedResponseException {
        response.wrap(ByteBuffer.wrap(bytes), 0, bytes.length, cut);
    }

    @Test
    void error_isThatOfTheResponse() throws MalformedResponseException {
        wrap(bytes(new FetchResponseData().setErrorCode((short) 70)), false);
        assertThat(response.error()).isEqualTo((short) 70);
        assertThat(response.next()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"-1, false", "0, true", "1, true"})
    void log_thatDivergesAtAnyOffset_isDiverging(long offset, boolean diverging) throws MalformedResponseException {
        wrap(
                bytes(partition(5)
                        .setDivergingEpoch(new EpochEndOffset().setEpoch(3).setEndOffset(offset))),
                false);
        assertThat(response.next()).isTrue();
        assertThat(response.isDiverging()).isEqualTo(diverging);
        assertThat(response.divergingOffset()).isEqualTo(offset);
    }

    /** Without tags, a diverging epoch has 12 bytes. A shorter epoch is ignored. */
    @ParameterizedTest
    @CsvSource({"12, 88", "11, -1"})
    void divergingEpoch_isRead_ifItIsThere(int size, long offset) throws MalformedResponseException {
        byte[] whole = bytes(
                partition(5).setDivergingEpoch(new EpochEndOffset().setEpoch(3).setEndOffset(88)));
        // ... count 1, tag 0, size 13, epoch (4), offset (8), tags 0 | tags of the topic and of the response
        int sizeAt = whole.length - 2 - 13 - 1;
        assertThat(whole[sizeAt]).isEqualTo((byte) 13);
        byte[] shorter = new byte[whole.length - 13 + size];
        System.arraycopy(whole, 0, shorter, 0, sizeAt + 1 + size);
        shorter[sizeAt] = (byte) size;
        wrap(shorter, false);
        assertThat(response.next()).isTrue();
        assertThat(response.divergingOffset()).isEqualTo(offset);
        assertThat(response.next()).isFalse();
    }

    @Test
    void abortedTransactions_withTagsOfLaterVersions_areRead() throws MalformedResponseException {
        AbortedTransaction first = new AbortedTransaction().setProducerId(8).setFirstOffset(10);
        first.unknownTaggedFields().add(new RawTaggedField(3, new byte[] {1, 2, 3}));
        first.unknownTaggedFields().add(new RawTaggedField(4, new byte[] {}));
        AbortedTransaction second = new AbortedTransaction().setProducerId(9).setFirstOffset(20);
        wrap(bytes(partition(5).setAbortedTransactions(List.of(first, second)), partition(6)), false);
        assertThat(response.next()).isTrue();
        AbortedTransactions aborted = new AbortedTransactions();
        response.abortedTo(aborted);
        aborted.reached(10);
        assertThat(aborted.isAborted(8)).isFalse();
        aborted.reached(20);
        assertThat(aborted.isAborted(8)).isTrue();
        assertThat(aborted.isAborted(9)).isFalse();
        aborted.reached(21);
        assertThat(aborted.isAborted(9)).isTrue();
        assertThat(response.next()).isTrue();
        assertThat(response.partition()).isEqualTo(6);
        assertThat(response.next()).isFalse();
    }

    // ---- Where it is cut -------------------------------------------------------------------------------------------

    /** A connection's buffer is larger than the response. */
    @Test
    void nothingBehindTheEnd_isRead() {
        byte[] whole = bytes(withRecords(50));
        ByteBuffer larger = ByteBuffer.allocate(2 * whole.length).put(0, whole);
        for (int end = 4; end < whole.length; end++) {
            int to = end;
            assertThatExceptionOfType(MalformedResponseException.class)
                    .as("until %d", to)
                    .isThrownBy(() -> {
                        response.wrap(larger, 0, to, false);
                        assertThat(response.next()).isTrue();
                        response.next();
                    });
        }
    }

    @ParameterizedTest
    @CsvSource({"-1, true, true", "0, false, false", "1, false, false", "2, false, true", "3, false, true"})
    void partition_isShown_ifItsRecordsAreCut_orAllOfItIsThere(int behindRecords, boolean cut, boolean shown)
            throws MalformedResponseException {
        byte[] whole = bytes(withRecords(50));
        int end = whole.length - BEHIND_RECORDS + behindRecords;
        response.wrap(ByteBuffer.wrap(whole), 0, end, true);
        assertThat(response.next()).isEqualTo(shown);
        assertThat(response.isRecordsCut()).isEqualTo(cut);
        assertThat(response.recordsLength()).isEqualTo(50);
        assertThat(response.recordsAt()).isEqualTo(whole.length - BEHIND_RECORDS - 50);
        assertThat(response.next()).isFalse();
    }

    @Test
    void response_thatBeginsWithinABuffer_isRead() throws MalformedResponseException {
        byte[] whole = bytes(withRecords(50));
        ByteBuffer buffer = ByteBuffer.allocate(100 + whole.length).put(100, whole);
        response.wrap(buffer, 100, 100 + whole.length - BEHIND_RECORDS - 20, true);
        assertThat(response.next()).isTrue();
        assertThat(response.isRecordsCut()).isTrue();
        assertThat(response.recordsAt()).isEqualTo(100 + whole.length - BEHIND_RECORDS - 50);
    }

    // ---- Lengths and counts beyond the end of the response ---------------------------------------------------------

    private void assertMalformedAt(byte[] bytes, int at) {
        assertThatExceptionOfType(MalformedResponseException.class)
                .isThrownBy(() -> {
                    wrap(bytes, false);
                    while (response.next()) {
                        // Read up to the malformed byte.
                    }
                })
                .withMessage("a fetch response of " + bytes.length + " bytes is malformed at byte " + at);
    }

    /** An impossible count must not start a loop of that length. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 40})
    void abortedTransactions_moreThanThereIsRoomFor_areRefusedAtTheirNumber(int tooMany) {
        byte[] whole = bytes(partition(5)
                .setAbortedTransactions(
                        List.of(new AbortedTransaction().setProducerId(8).setFirstOffset(10))));
        // The bytes after the number: a transaction (17), the preferred replica (4), the records (1), and tags three
        // times.
        int behind = 17 + 4 + 1 + BEHIND_RECORDS;
        int numberAt = whole.length - behind - 1;
        assertThat(whole[numberAt]).isEqualTo((byte) 2);
        whole[numberAt] = (byte) (1 + 1 + tooMany);
        assertMalformedAt(whole, numberAt + 1);
    }

    @Test
    void records_asManyAsThereAreBytes_areTaken_andOneMoreIsRefusedAtItsNumber() {
        byte[] whole = bytes(withRecords(50));
        int lengthAt = whole.length - BEHIND_RECORDS - 50 - 1;
        assertThat(whole[lengthAt]).isEqualTo((byte) 51);
        whole[lengthAt] = 51 + BEHIND_RECORDS;
        // The records take all remaining bytes, and the tags are missing.
        assertMalformedAt(whole, whole.length);
        whole[lengthAt]++;
        assertMalformedAt(whole, lengthAt + 1);
    }

    @Test
    void tags_moreThanThereAreBytes_areRefusedAtTheirNumber() {
        byte[] whole = bytes(withRecords(50));
        whole[whole.length - 2] = 2;
        assertMalformedAt(whole, whole.length - 1);
    }

    @Test
    void topics_moreThanThereAreBytes_areRefusedAtTheirNumber() {
        byte[] whole = bytes(withRecords(1));
        // correlation (4), tags, throttle (4), error (2), session (4)
        int numberAt = 15;
        assertThat(whole[numberAt]).isEqualTo((byte) 2);
        whole[numberAt] = (byte) (whole.length - numberAt);
        assertThat(whole.length).isLessThan(127);
        assertMalformedAt(whole, whole.length - 1);
        whole[numberAt]++;
        assertMalformedAt(whole, numberAt + 1);
    }
}
