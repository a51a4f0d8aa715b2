package dev.weir.lean.internal.consumer;

import static dev.weir.lean.internal.consumer.ScriptedConsumer.EPOCH;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.SESSION;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.TOPIC;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.answer;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.batch;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.data;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.StartAt;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the partitions that the requests of a fetch session list (KIP-227). */
class FetchSessionTest {

    private static final String FULL = "[6-0@0 of 3 after -1, 6-1@40 of 3 after 7]";

    private final ScriptedConsumer consumer = new ScriptedConsumer();

    @AfterEach
    void close() {
        consumer.close();
    }

    /** Assigns two partitions. Their first request is in flight. */
    private void begin() {
        consumer.leaders(EPOCH, 1, 1);
        consumer.assign(1, StartAt.offset(40, 7));
        consumer.assign(0, StartAt.offset(0));
        consumer.poll();
        assertThat(consumer.fetches(1)).containsExactly("0/0 " + FULL);
    }

    private void assertNext(FetchResponseData answer, String... requests) {
        consumer.brokers.answer(1, answer);
        consumer.poll();
        assertThat(consumer.fetches(1)).containsExactly(requests);
    }

    private int index(int partition) {
        return consumer.engine.index(TOPIC, partition);
    }

    @Test
    void requestsOfASession_listOnlyWhatHasChanged() {
        begin();
        assertNext(answer(data(0, batch(0))), "77/1 [6-0@3 of 3 after 5]");
        assertThat(consumer.offsets).containsExactly(0L, 1L, 2L);
        assertNext(answer(), "77/2 []");

        consumer.engine.pause(index(1));
        assertNext(answer(), "77/3 [] without 6-1");
        assertNext(answer(), "77/4 []");
        consumer.engine.resume(index(1));
        assertNext(answer(), "77/5 [6-1@40 of 3 after 7]");

        // A new leader epoch and another epoch before the offset are changes, too.
        consumer.leaders(EPOCH + 1, 1, 1);
        consumer.refresh();
        consumer.engine.seek(index(0), StartAt.offset(3, 6));
        assertNext(answer(), "77/6 [6-0@3 of 4 after 6, 6-1@40 of 4 after 7]");
    }

    @Test
    void brokerWhosePartitionsArePaused_isNotAsked() {
        begin();
        consumer.engine.pause(index(0));
        consumer.engine.pause(index(1));
        assertNext(answer());
        consumer.engine.resume(index(0));
        consumer.poll();
        assertThat(consumer.fetches(1)).containsExactly("77/1 [] without 6-1");
    }

    /** The response to the former request does not continue the session. */
    @Test
    void partitionRemoved_whileARequestIsInFlight_restartsTheSession() {
        begin();
        consumer.engine.unassign(index(1));
        assertNext(answer(), "77/0 [6-0@0 of 3 after -1]");
        assertNext(answer(), "77/1 []");
    }

    @Test
    void partitionRemoved_betweenRequests_restartsTheSession() {
        begin();
        consumer.engine.pause(index(0));
        consumer.engine.pause(index(1));
        assertNext(answer());
        consumer.engine.unassign(index(1));
        consumer.engine.resume(index(0));
        consumer.poll();
        assertThat(consumer.fetches(1)).containsExactly("77/0 [6-0@0 of 3 after -1]");
        assertNext(answer().setSessionId(78), "78/1 []");
    }

    @Test
    void partitionRemoved_beforeARequestIsRefused_doesNotRestartTheNextSessionTwice() {
        begin();
        consumer.engine.unassign(index(1));
        assertNext(
                new FetchResponseData().setErrorCode(Errors.FETCH_SESSION_ID_NOT_FOUND.code()),
                "0/0 [6-0@0 of 3 after -1]");
        assertNext(answer(), "77/1 []");
    }

    @ParameterizedTest
    @EnumSource(
            value = Errors.class,
            names = {"FETCH_SESSION_ID_NOT_FOUND", "INVALID_FETCH_SESSION_EPOCH", "INCONSISTENT_TOPIC_ID"})
    void sessionThatIsLost_isReplacedOnTheSameConnection(Errors error) {
        begin();
        assertNext(answer(), "77/1 []");
        consumer.brokers.metadataRequests();
        // Each full request starts with the next partition.
        assertNext(
                new FetchResponseData().setErrorCode(error.code()), "0/0 [6-1@40 of 3 after 7, 6-0@0 of 3 after -1]");
        assertNext(answer(), "77/1 []");
        assertThat(consumer.engine.metrics().disconnects()).isZero();
        assertThat(consumer.brokers.metadataRequests()).isEqualTo(error == Errors.INCONSISTENT_TOPIC_ID ? 1 : 0);
    }

    /** Partitions of the same topic are adjacent and sorted, even if they were assigned in another order. */
    @Test
    void requestsWithoutASession_startWithEachPartitionInTurn() {
        consumer.brokers.topic("a", new Uuid(1, 1), EPOCH, 1, 1);
        consumer.brokers.topic("b", new Uuid(1, 2), EPOCH, 1);
        consumer.engine.assign("a", 1, StartAt.offset(1));
        consumer.engine.assign("b", 0, StartAt.offset(2));
        consumer.engine.assign("a", 0, StartAt.offset(0));
        consumer.poll();
        String a0 = "1-0@0 of 3 after -1";
        String a1 = "1-1@1 of 3 after -1";
        String b0 = "2-0@2 of 3 after -1";
        assertThat(consumer.fetches(1)).containsExactly("0/0 [" + a0 + ", " + a1 + ", " + b0 + "]");
        FetchResponseData withoutSession = answer().setSessionId(0);
        assertNext(withoutSession, "0/0 [" + a1 + ", " + b0 + ", " + a0 + "]");
        assertNext(withoutSession, "0/0 [" + b0 + ", " + a0 + ", " + a1 + "]");
        assertNext(withoutSession, "0/0 [" + a0 + ", " + a1 + ", " + b0 + "]");

        // Each list has only the topics with a listed partition.
        consumer.engine.pause(consumer.engine.index("b", 0));
        assertNext(answer(), "77/1 [] without 2-0");
        assertNext(answer(), "77/2 []");
    }

    @Test
    void connectionThatIsLost_endsItsSession_andItsRequests() {
        begin();
        assertNext(answer(), SESSION + "/1 []");
        consumer.engine.seek(index(1), StartAt.beginning());
        consumer.brokers.answer(1, answer());
        consumer.poll();
        assertThat(consumer.offsetRequests(1)).containsExactly("t [1 3 -2]");
        consumer.fetches(1);
        consumer.brokers.lose(1);
        consumer.poll();
        assertThat(consumer.engine.metrics().disconnects()).isEqualTo(1);
        assertThat(consumer.fetches(1)).isEmpty();
        consumer.pass(25);
        assertThat(consumer.engine.metrics().connects()).isEqualTo(2);
        assertThat(consumer.offsetRequests(1)).containsExactly("t [1 3 -2]");
        assertThat(consumer.fetches(1)).containsExactly("0/0 [6-0@0 of 3 after -1]");
    }
}
