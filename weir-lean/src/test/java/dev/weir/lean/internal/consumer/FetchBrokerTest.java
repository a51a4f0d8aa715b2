package dev.weir.lean.internal.consumer;

import static dev.weir.lean.internal.consumer.ScriptedConsumer.EPOCH;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.SESSION;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.TOPIC;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.answer;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.batch;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.data;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.offset;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.LeanException;
import dev.weir.lean.StartAt;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the connection to a broker: its losses, throttling, malformed responses, and its two buffers. */
class FetchBrokerTest {

    private final ScriptedConsumer consumer =
            new ScriptedConsumer(settings -> settings.maxFetchBytes(1_024).maxResponseBytes(70_000));

    @BeforeEach
    void lead() {
        consumer.leaders(EPOCH, 1, 1, 1);
    }

    @AfterEach
    void close() {
        consumer.close();
    }

    private int connects(int node) {
        return Collections.frequency(consumer.brokers.connects, node);
    }

    @Test
    void brokerThatThrottles_getsNoRequestBeforeTheEnd() {
        consumer.assign(0, StartAt.offset(0));
        consumer.poll();
        assertThat(consumer.fetches(1)).hasSize(1);
        consumer.brokers.answer(1, answer().setThrottleTimeMs(200));
        consumer.pass(0);
        consumer.engine.seek(0, StartAt.end());
        consumer.pass(199);
        assertThat(consumer.fetches(1)).isEmpty();
        assertThat(consumer.offsetRequests(1)).isEmpty();
        consumer.pass(1);
        assertThat(consumer.offsetRequests(1)).hasSize(1);

        consumer.brokers.answer(1, offset(0, 10).setThrottleTimeMs(50));
        consumer.pass(49);
        assertThat(consumer.fetches(1)).isEmpty();
        // The response arrived within this pass, at its end.
        consumer.pass(50);
        assertThat(consumer.fetches(1)).hasSize(1);
        assertThat(consumer.engine.throttledMillis()).isEqualTo(250);
        assertThat(consumer.engine.metrics().throttledMillis()).isEqualTo(250);
    }

    /** The wait is 20 ms with up to a fifth more or less, and doubles. A lost leader puts the metadata in doubt. */
    @Test
    void brokerThatRefusesConnections_isTriedAfterAGrowingWait_andAskedAboutElsewhere() {
        consumer.leaders(EPOCH, 2);
        consumer.brokers.unreachable.add(2);
        consumer.assign(0, StartAt.offset(0));
        consumer.poll();
        assertThat(connects(2)).isEqualTo(1);
        assertThat(consumer.engine.metrics().connects()).isEqualTo(1);
        assertThat(consumer.brokers.metadataRequests()).isEqualTo(2);
        consumer.pass(15);
        assertThat(connects(2)).isEqualTo(1);
        consumer.pass(10);
        assertThat(connects(2)).isEqualTo(2);
        consumer.pass(31);
        assertThat(connects(2)).isEqualTo(2);
        consumer.brokers.unreachable.clear();
        consumer.pass(18);
        assertThat(consumer.fetches(2)).hasSize(1);
        assertThat(consumer.engine.metrics().disconnects()).isZero();

        // A connection that worked resets the wait.
        consumer.brokers.lose(2);
        consumer.poll();
        consumer.pass(25);
        assertThat(consumer.fetches(2)).hasSize(1);
        assertThat(consumer.engine.metrics().connects()).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource(
            value = ApiKeys.class,
            names = {"FETCH", "LIST_OFFSETS"})
    void malformedResponse_isAFaultThatNamesTheBroker_andItsConnectionIsClosed(ApiKeys api) {
        consumer.assign(0, api == ApiKeys.FETCH ? StartAt.offset(0) : StartAt.end());
        consumer.poll();
        consumer.brokers.answerMalformed(1, api);
        assertThatExceptionOfType(LeanException.class)
                .isThrownBy(consumer::poll)
                .withMessageStartingWith("broker 1 at " + ScriptedBrokers.bootstrap(1) + " sent ")
                .withMessageContaining("malformed");
        assertThat(consumer.engine.metrics().disconnects()).isEqualTo(1);
        consumer.fetches(1);
        consumer.offsetRequests(1);
        consumer.pass(25);
        assertThat(consumer.fetches(1).size() + consumer.offsetRequests(1).size())
                .isEqualTo(1);
    }

    @Test
    void offsetsLargerThanAllowed_areAFaultThatNamesTheLimit() {
        consumer.assign(0, StartAt.end());
        consumer.poll();
        List<ListOffsetsPartitionResponse> many = IntStream.range(0, 5_000)
                .mapToObj(number -> new ListOffsetsPartitionResponse().setPartitionIndex(number))
                .toList();
        consumer.brokers.answer(
                1,
                new ListOffsetsResponseData()
                        .setTopics(List.of(
                                new ListOffsetsTopicResponse().setName(TOPIC).setPartitions(many))));
        assertThatExceptionOfType(LeanException.class)
                .isThrownBy(consumer::poll)
                .withMessageContaining("maxResponseBytes=70000");
        assertThat(consumer.engine.position(0)).isEqualTo(-1);
    }

    @Test
    void fatalErrorOfAFetch_isThrown_andAPassingOneIsNot() {
        consumer.assign(0, StartAt.offset(0));
        consumer.poll();
        consumer.brokers.answer(1, answer().setErrorCode(Errors.UNKNOWN_SERVER_ERROR.code()));
        consumer.poll();
        assertThat(consumer.engine.metrics().disconnects()).isEqualTo(1);
        consumer.fetches(1);
        consumer.pass(25);
        assertThat(consumer.fetches(1)).containsExactly("0/0 [6-0@0 of 3 after -1]");

        consumer.brokers.answer(1, answer().setErrorCode(Errors.CLUSTER_AUTHORIZATION_FAILED.code()));
        assertThatExceptionOfType(LeanException.class)
                .isThrownBy(consumer::poll)
                .withMessageContaining("broker 1 at " + ScriptedBrokers.bootstrap(1) + " refused a fetch: ")
                .withCauseInstanceOf(
                        Errors.CLUSTER_AUTHORIZATION_FAILED.exception().getClass());
        assertThat(consumer.engine.metrics().disconnects()).isEqualTo(2);
    }

    /** Each paused partition keeps one of the connection's two buffers. */
    @Test
    void recordsOfPausedPartitions_areCopied_onceAnAwaitedResponseNeedsTheirBuffers() {
        for (int partition = 0; partition < 3; partition++) {
            consumer.assign(partition, StartAt.offset(0));
        }
        consumer.engine.pause(2);
        consumer.poll();
        for (int partition = 0; partition < 2; partition++) {
            consumer.brokers.answer(1, answer(data(partition, batch(0), batch(3))));
            consumer.poll(record -> consumer.engine.pause(record.index()));
        }
        assertThat(consumer.offsets).containsExactly(0L, 0L);
        assertThat(consumer.engine.metrics().copiedBytes()).isZero();
        consumer.fetches(1);

        consumer.engine.resume(2);
        consumer.poll();
        assertThat(consumer.engine.metrics().copiedBytes()).isEqualTo(2L * (batch(0).limit() + batch(3).limit()));
        assertThat(consumer.fetches(1)).containsExactly(SESSION + "/2 [6-2@0 of 3 after -1] without 6-0, 6-1");
        consumer.brokers.answer(1, answer(data(2, batch(20))));
        consumer.poll();
        consumer.engine.resume(0);
        consumer.engine.resume(1);
        consumer.poll();
        assertThat(consumer.offsets).containsExactly(0L, 0L, 20L, 21L, 22L, 1L, 2L, 3L, 4L, 5L, 1L, 2L, 3L, 4L, 5L);
    }

    /** Otherwise the records of the removed partition would keep a buffer. */
    @Test
    void partitionThatMovesToAnotherBroker_takesItsPausedRecordsAlong() {
        consumer.assign(0, StartAt.offset(0));
        consumer.assign(1, StartAt.offset(0));
        consumer.poll();
        consumer.brokers.answer(1, answer(data(0, batch(0))));
        consumer.poll(record -> consumer.engine.pause(0));
        consumer.leaders(EPOCH + 1, 2, 1);
        consumer.refresh();
        assertThat(consumer.engine.broker(0)).isEqualTo(2);
        assertThat(consumer.engine.metrics().copiedBytes()).isEqualTo(batch(0).limit());
        assertThat(consumer.engine.metrics().relocations()).isEqualTo(1);
        consumer.engine.resume(0);
        consumer.poll();
        assertThat(consumer.offsets).containsExactly(0L, 1L, 2L);
        assertThat(consumer.fetches(2)).containsExactly("0/0 [6-0@3 of 4 after 5]");
    }
}
