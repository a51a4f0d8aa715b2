package dev.weir.lean.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.LeanException;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.internal.cluster.BrokerAddress;
import dev.weir.lean.internal.cluster.BrokerLinks;
import dev.weir.lean.internal.cluster.ClusterMetadata;
import dev.weir.lean.internal.cluster.RetryBackoff;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a producer's id, and the responses to requests for it. */
class ProducerIdTest {

    private final ProducerId id = new ProducerId();

    private static ProducerPartition partition(int number) {
        return new ProducerPartition(new ProducerTopic("t", 0), number, new RetryBackoff(1, new SplittableRandom(1)));
    }

    private void learn(long producer, int epoch) {
        id.learn(new InitProducerIdResponseData().setProducerId(producer).setProducerEpoch((short) epoch));
    }

    @Test
    void id_isAskedForOnceAPartitionNeedsIt_andIsOneForAll() {
        ProducerPartition one = partition(0);
        ProducerPartition other = partition(1);
        assertThat(id.isWanted()).isFalse();
        assertThat(id.identifies(one)).isFalse();
        assertThat(id.isWanted()).isTrue();
        learn(77, 3);
        assertThat(id.isWanted()).isFalse();
        assertThat(id.identifies(one)).isTrue();
        assertThat(id.identifies(other)).isTrue();
        assertThat(one.producerId).isEqualTo(77);
        assertThat(one.epoch).isEqualTo((short) 3);
        assertThat(other.producerId).isEqualTo(77);
    }

    @Test
    void partitionThatHasAnId_keepsIt_whenAnotherOneIsLearnt() {
        ProducerPartition partition = partition(0);
        learn(77, 0);
        assertThat(id.identifies(partition)).isTrue();
        learn(78, 0);
        assertThat(id.identifies(partition)).isTrue();
        assertThat(partition.producerId).isEqualTo(77);
    }

    /** Under the same epoch, a broker would compare the new sequences with the old sequences. */
    @Test
    void renumberedPartition_hasTheNextEpoch_andOthersKeepTheirs() {
        ProducerPartition one = partition(0);
        ProducerPartition other = partition(1);
        learn(77, 3);
        assertThat(id.identifies(one) && id.identifies(other)).isTrue();
        id.renumber(one);
        assertThat(one.producerId).isEqualTo(77);
        assertThat(one.epoch).isEqualTo((short) 4);
        assertThat(other.epoch).isEqualTo((short) 3);
        one.epoch = Short.MAX_VALUE - 1;
        id.renumber(one);
        assertThat(one.epoch).isEqualTo(Short.MAX_VALUE);
        assertThat(one.producerId).isEqualTo(77);
    }

    @Test
    void partitionWhoseEpochsHaveRunOut_getsAnotherId_andThoseAfterItGetThatOne() {
        ProducerPartition one = partition(0);
        ProducerPartition other = partition(1);
        learn(77, 0);
        assertThat(id.identifies(one) && id.identifies(other)).isTrue();
        one.epoch = Short.MAX_VALUE;
        id.renumber(one);
        assertThat(one.producerId).isEqualTo(ProducerPartition.UNKNOWN);
        assertThat(one.epoch).isZero();
        assertThat(id.identifies(one)).isFalse();
        assertThat(id.isWanted()).isTrue();
        learn(78, 0);
        assertThat(id.identifies(one)).isTrue();
        assertThat(one.producerId).isEqualTo(78);

        other.epoch = Short.MAX_VALUE;
        id.renumber(other);
        assertThat(id.identifies(other)).as("there is a newer one already").isTrue();
        assertThat(other.producerId).isEqualTo(78);
    }

    // ---- Responses -------------------------------------------------------------------------------------------------

    private static final short VERSION = 4;

    private final BrokerLinks links = BrokerLinks.open(
            LeanSettings.builder().bootstrapServers("localhost:1").build());
    private final ClusterMetadata metadata = new ClusterMetadata(
            List.of(),
            new KnownPartitions(Map.of(), ProducerIdTest::backoff, ProducerIdTest::none),
            backoff(),
            1L << 60);
    private final LeaderRequests requests = new LeaderRequests(metadata, id::learn, backoff(), links);

    private static ProducerBroker none(BrokerAddress address) {
        throw new AssertionError("no broker was found");
    }

    private static RetryBackoff backoff() {
        return new RetryBackoff(1, new SplittableRandom(1));
    }

    @AfterEach
    void close() {
        links.close();
    }

    private void answer(Errors error) {
        InitProducerIdResponseData answer =
                new InitProducerIdResponseData().setErrorCode(error.code()).setProducerId(77);
        requests.answered(ApiKeys.INIT_PRODUCER_ID, VERSION, MessageUtil.toByteBufferAccessor(answer, VERSION));
    }

    @ParameterizedTest
    @EnumSource(names = {"COORDINATOR_LOAD_IN_PROGRESS", "REQUEST_TIMED_OUT", "NOT_COORDINATOR"})
    void brokerWithoutAnIdForNow_isNoFailure_andTheIdIsStillWanted(Errors error) {
        ProducerPartition partition = partition(0);
        assertThat(id.identifies(partition)).isFalse();
        answer(error);
        assertThat(id.isWanted()).isTrue();
        assertThat(id.identifies(partition)).isFalse();
        assertThat(requests.isPutOff(List.of(), id.isWanted())).isTrue();
        answer(Errors.NONE);
        assertThat(id.isWanted()).isFalse();
        assertThat(id.identifies(partition)).isTrue();
        assertThat(partition.producerId).isEqualTo(77);
    }

    @ParameterizedTest
    @EnumSource(names = {"CLUSTER_AUTHORIZATION_FAILED", "INVALID_REQUEST", "UNKNOWN_SERVER_ERROR"})
    void brokerThatRefusesAnId_isAFailure_whichNamesTheRight(Errors error) {
        assertThatExceptionOfType(LeanException.class)
                .isThrownBy(() -> answer(error))
                .withMessageStartingWith("metadata assigned no producer id: " + error.message())
                .withMessageContaining("IDEMPOTENT_WRITE")
                .withCause(error.exception());
        assertThat(id.isWanted()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"INIT_PRODUCER_ID", "METADATA"})
    void answerThatCannotBeRead_isAFailure(ApiKeys api) {
        assertThatExceptionOfType(LeanException.class)
                .isThrownBy(() -> requests.answered(api, VERSION, new ByteBufferAccessor(ByteBuffer.allocate(1))))
                .withMessage("metadata sent a malformed answer to " + api);
    }

    /** The thread then checks again soon. */
    @Test
    void request_isPutOff_whileSomethingIsWantedOfTheBrokers() {
        List<ProducerTopic> topics = List.of(new ProducerTopic("t", 0));
        assertThat(requests.isPutOff(topics, false)).as("the first metadata").isTrue();
        assertThat(requests.isPutOff(List.of(), false)).as("of no topic").isFalse();
        assertThat(requests.isPutOff(List.of(), true)).isTrue();
        assertThat(requests.poll(0, topics, true)).as("no connection").isZero();
        assertThat(metadata.ask(Stream.of("t"), 0).topics()).hasSize(1);
        assertThat(requests.isPutOff(topics, false)).as("in flight").isFalse();
        requests.lost("gone");
        assertThat(requests.isPutOff(topics, false)).isTrue();
    }
}
