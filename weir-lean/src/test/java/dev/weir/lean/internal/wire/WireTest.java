package dev.weir.lean.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.LeanSettings;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests Weir's requests and responses against the official client's classes. */
class WireTest {

    private final FetchResponse response = new FetchResponse();

    @ParameterizedTest
    @ValueSource(shorts = {13, 14, 15, 16, 17})
    void request_ofEachVersion_isReadByTheOfficialClasses(short version) {
        LeanSettings settings = LeanSettings.builder()
                .bootstrapServers("b:1")
                .maxFetchWait(Duration.ofMillis(123))
                .minFetchBytes(45)
                .maxFetchBytes(67_000)
                .maxPartitionBytes(8_900)
                .readCommitted(true)
                .build();
        FetchRequest request = new FetchRequest(settings, "me", "rack-7");
        ByteBuffer out = ByteBuffer.allocateDirect(request.sizeFor(4));
        Uuid topic = Uuid.randomUuid();
        request.begin(out, version, 99, 1234, 56);
        FetchRequest.topics(out, 1);
        FetchRequest.topic(out, topic.getMostSignificantBits(), topic.getLeastSignificantBits(), 2);
        request.partition(out, 3, 4, 5_000_000_000L, 6);
        request.partition(out, 7, 8, 9, -1);
        FetchRequest.endTopic(out);
        FetchRequest.topics(out, 1);
        FetchRequest.topic(out, topic.getMostSignificantBits(), topic.getLeastSignificantBits(), 1);
        FetchRequest.forgotten(out, 11);
        FetchRequest.endTopic(out);
        request.end(out, true);

        assertThat(out.getInt()).isEqualTo(out.remaining());
        ByteBufferAccessor in = new ByteBufferAccessor(out);
        RequestHeaderData header = new RequestHeaderData(in, (short) 2);
        assertThat(header.requestApiKey()).isEqualTo((short) 1);
        assertThat(header.requestApiVersion()).isEqualTo(version);
        assertThat(header.correlationId()).isEqualTo(99);
        assertThat(header.clientId()).isEqualTo("me");
        FetchRequestData data = new FetchRequestData(in, version);
        assertThat(in.remaining()).isZero();
        FetchRequestData expected = new FetchRequestData()
                .setMaxWaitMs(123)
                .setMinBytes(45)
                .setMaxBytes(67_000)
                .setIsolationLevel((byte) 1)
                .setSessionId(1234)
                .setSessionEpoch(56)
                .setRackId("rack-7");
        var first = new FetchRequestData.FetchPartition()
                .setPartition(3)
                .setCurrentLeaderEpoch(4)
                .setFetchOffset(5_000_000_000L)
                .setLastFetchedEpoch(6)
                .setPartitionMaxBytes(8_900);
        var second = new FetchRequestData.FetchPartition()
                .setPartition(7)
                .setCurrentLeaderEpoch(8)
                .setFetchOffset(9)
                .setPartitionMaxBytes(8_900);
        expected.topics()
                .add(new FetchRequestData.FetchTopic().setTopicId(topic).setPartitions(List.of(first, second)));
        expected.forgottenTopicsData()
                .add(new FetchRequestData.ForgottenTopic().setTopicId(topic).setPartitions(List.of(11)));
        assertThat(data).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(shorts = {13, 14, 15, 16, 17})
    void response_ofEachVersion_isReadWhole(short version) throws MalformedResponseException {
        ByteBuffer bytes = Responses.of(version);
        response.wrap(bytes, 0, bytes.limit(), false);
        assertThat(response.throttleMillis()).isEqualTo(12);
        assertThat(response.error()).isZero();
        assertThat(response.sessionId()).isEqualTo(34);

        assertThat(response.next()).isTrue();
        assertThat(response.topicIdHigh()).isEqualTo(Responses.TOPIC.getMostSignificantBits());
        assertThat(response.topicIdLow()).isEqualTo(Responses.TOPIC.getLeastSignificantBits());
        assertThat(response.partition()).isEqualTo(5);
        assertThat(response.highWatermark()).isEqualTo(1_000);
        assertThat(response.lastStableOffset()).isEqualTo(900);
        assertThat(response.preferredReplica()).isEqualTo(-1);
        assertThat(response.isDiverging()).isFalse();
        assertThat(response.leader()).isEqualTo(-1);
        assertThat(response.recordsLength()).isEqualTo(Responses.RECORDS.limit());
        assertThat(bytes.slice(response.recordsAt(), response.recordsLength())).isEqualTo(Responses.RECORDS.rewind());
        AbortedTransactions aborted = new AbortedTransactions();
        response.abortedTo(aborted);
        assertThat(aborted.isEmpty()).isFalse();

        assertThat(response.next()).isTrue();
        assertThat(response.partition()).isEqualTo(6);
        assertThat(response.partitionError()).isEqualTo((short) 1);
        assertThat(response.isDiverging()).isTrue();
        assertThat(response.divergingEpoch()).isEqualTo(2);
        assertThat(response.leader()).isEqualTo(1);
        assertThat(response.leaderEpoch()).isEqualTo(4);
        assertThat(response.divergingOffset()).isEqualTo(88);
        assertThat(response.preferredReplica()).isEqualTo(3);
        assertThat(response.recordsLength()).isZero();
        response.abortedTo(aborted);
        assertThat(aborted.isEmpty()).isTrue();

        assertThat(response.next()).isTrue();
        assertThat(response.partition()).isEqualTo(0);
        assertThat(response.next()).isFalse();
        assertThat(response.next()).isFalse();
    }

    @Test
    void response_cutOffAnywhere_isRefused_orReadAsFarAsItGoesIfThatIsKnown() {
        ByteBuffer whole = Responses.of((short) 17);
        for (int length = 5; length < whole.limit(); length++) {
            ByteBuffer part = ByteBuffer.allocateDirect(length).put(0, whole, 0, length);
            assertThatExceptionOfType(MalformedResponseException.class)
                    .isThrownBy(() -> Responses.walk(response, part, false));
            try {
                Responses.walk(response, part, true);
            } catch (MalformedResponseException expected) {
                // Too short for the part before the first partition.
                assertThat(part.limit()).isLessThan(20);
            }
        }
    }

    @Test
    void records_cutOff_areSeenWithTheirFullLength() throws MalformedResponseException {
        ByteBuffer whole = Responses.of((short) 17);
        response.wrap(whole, 0, whole.limit(), false);
        assertThat(response.next()).isTrue();
        int end = response.recordsAt() + 20;
        ByteBuffer part = ByteBuffer.allocateDirect(end).put(0, whole, 0, end);
        response.wrap(part, 0, part.limit(), true);
        assertThat(response.next()).isTrue();
        assertThat(response.isRecordsCut()).isTrue();
        assertThat(response.recordsLength()).isEqualTo(Responses.RECORDS.limit());
        assertThat(response.next()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 127, 128, 16_383, 16_384, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
    void number_writtenByTheOfficialClasses_isRead(int number) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(30);
        ByteBufferAccessor writer = new ByteBufferAccessor(bytes);
        writer.writeVarint(number);
        int afterFirst = bytes.position();
        writer.writeUnsignedVarint(number);
        int afterSecond = bytes.position();
        writer.writeVarlong(number * 5_000_000_000L);
        int afterThird = bytes.position();
        assertThat(VarInts.value(VarInts.signed(bytes, 0))).isEqualTo(number);
        assertThat(VarInts.next(VarInts.signed(bytes, 0))).isEqualTo(afterFirst);
        assertThat(VarInts.value(VarInts.unsigned(bytes, afterFirst))).isEqualTo(number);
        assertThat(VarInts.next(VarInts.unsigned(bytes, afterFirst))).isEqualTo(afterSecond);
        assertThat(VarInts.signedLong(bytes, afterSecond)).isEqualTo(number * 5_000_000_000L);
        assertThat(VarInts.sizeOfLong(bytes, afterSecond)).isEqualTo(afterThird - afterSecond);
        ByteBuffer own = ByteBuffer.allocateDirect(5);
        VarInts.putUnsigned(own, number);
        assertThat(own.flip()).isEqualTo(bytes.slice(afterFirst, afterSecond - afterFirst));
    }

    /** The protocol allows padded numbers, although no real writer pads them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void number_withBytesThatAddNothing_isRead(int size) {
        ByteBuffer bytes = ByteBuffer.allocate(5);
        for (int i = 0; i < size - 1; i++) {
            bytes.put(i, (byte) 0x80);
        }
        assertThat(VarInts.value(VarInts.unsigned(bytes, 0))).isZero();
        assertThat(VarInts.next(VarInts.unsigned(bytes, 0))).isEqualTo(size);
        assertThat(VarInts.signedLong(bytes, 0)).isZero();
        assertThat(VarInts.sizeOfLong(bytes, 0)).isEqualTo(size);
    }

    @Test
    void number_longerThanAllowed_isRefused() {
        ByteBuffer bytes = ByteBuffer.allocate(20);
        for (int i = 3; i < 8; i++) {
            bytes.put(i, (byte) 0x80);
        }
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> VarInts.unsigned(bytes, 3))
                .withMessage("a number of more than 5 bytes at 3");
        for (int i = 3; i < 13; i++) {
            bytes.put(i, (byte) 0x80);
        }
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> VarInts.signedLong(bytes, 3))
                .withMessage("a number of more than 10 bytes at 3");
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> VarInts.sizeOfLong(bytes, 3))
                .withMessage("a number of more than 10 bytes at 3");
        assertThat(VarInts.sizeOfLong(bytes, 4)).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                0,
                1,
                -1,
                63,
                64,
                -64,
                -65,
                8_191,
                8_192,
                Integer.MAX_VALUE,
                Integer.MIN_VALUE,
                1L << 40,
                -(1L << 41) - 1,
                Long.MAX_VALUE,
                Long.MIN_VALUE
            })
    void number_isWrittenAsTheOfficialClassesDo(long number) {
        ByteBuffer official = ByteBuffer.allocate(40);
        ByteBuffer own = ByteBuffer.allocate(40);
        ByteBufferAccessor writer = new ByteBufferAccessor(official);
        writer.writeVarlong(number);
        assertThat(VarInts.sizeOfSignedLong(number)).isEqualTo(official.position());
        int at = VarInts.putSignedLong(own, 0, number);
        assertThat(at).isEqualTo(official.position());

        writer.writeVarint((int) number);
        assertThat(VarInts.sizeOfSigned((int) number)).isEqualTo(official.position() - at);
        at = VarInts.putSigned(own, at, (int) number);
        assertThat(at).isEqualTo(official.position());

        writer.writeUnsignedVarint((int) number);
        assertThat(VarInts.sizeOfUnsigned((int) number)).isEqualTo(official.position() - at);
        VarInts.putUnsigned(own.position(at), (int) number);
        assertThat(own.position()).isEqualTo(official.position());
        assertThat(own.array()).isEqualTo(official.array());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 127, 128, 129, 255, 256, 16_383})
    void smallNumber_isWrittenAsTheOfficialClassesDo(int number) {
        ByteBuffer official = ByteBuffer.allocate(10).position(3);
        ByteBuffer own = ByteBuffer.allocate(10);
        new ByteBufferAccessor(official).writeUnsignedVarint(number);
        assertThat(VarInts.putSmall(own, 3, number)).isEqualTo(official.position());
        assertThat(VarInts.sizeOfSmall(number)).isEqualTo(official.position() - 3);
        assertThat(own.array()).isEqualTo(official.array());
        assertThat(VarInts.small(number)).isEqualTo(number < 128 ? official.get(3) : official.getShort(3) & 0xffff);
    }

    @Test
    void requestSize_growsByAPartition() {
        LeanSettings settings = LeanSettings.builder().bootstrapServers("b:1").build();
        FetchRequest request = new FetchRequest(settings, "me", "rack-7");
        ByteBuffer out = ByteBuffer.allocate(request.sizeFor(0));
        request.begin(out, FetchRequest.MIN_VERSION, 1, 2, 3);
        FetchRequest.topics(out, 0);
        FetchRequest.topics(out, 0);
        request.end(out, true);
        assertThat(request.sizeFor(0) - out.limit()).isBetween(0, FetchRequest.PARTITION_BYTES);
        for (int partitions = 0; partitions < 5; partitions++) {
            assertThat(request.sizeFor(partitions + 1) - request.sizeFor(partitions))
                    .isEqualTo(FetchRequest.PARTITION_BYTES);
        }
    }
}
