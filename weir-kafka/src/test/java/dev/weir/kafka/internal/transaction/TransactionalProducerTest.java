package dev.weir.kafka.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** What an id does that is not given out at once. */
class TransactionalProducerTest {

    private final Queue<RuntimeException> refusals = new ArrayDeque<>();
    private final List<Duration> pauses = new ArrayList<>();
    private final List<Refusing> clients = new ArrayList<>();
    private final TransactionalProducer<String, String> producer =
            TransactionalProducer.ofRun(this::client, () -> false, pauses::add);

    private Refusing client() {
        clients.add(new Refusing());
        return clients.getLast();
    }

    // A coordinator that was loading its log, and a fence that came at the same time, ended the run.
    @Test
    void open_refusedForAReasonThatPasses_triesAgainWithAnotherClient() {
        refusals.add(new CoordinatorLoadInProgressException("loading"));
        refusals.add(new KafkaException("fatal state", new InvalidProducerEpochException("fenced")));
        refusals.add(new TimeoutException("nobody there"));
        producer.open();
        assertThat(clients).hasSize(4);
        assertThat(clients.subList(0, 3)).allMatch(MockProducer::closed);
        assertThat(producer.look()).isSameAs(clients.getLast());
        assertThat(pauses).hasSize(2).isSorted();
    }

    @Test
    void open_refusedForAReasonThatPasses_givesUpAtABound() {
        for (int i = 0; i < 2 * TransactionalProducer.OPENINGS; i++) {
            refusals.add(new CoordinatorLoadInProgressException("loading"));
        }
        assertThatThrownBy(producer::open).isInstanceOf(CoordinatorLoadInProgressException.class);
        assertThat(clients).hasSize(TransactionalProducer.OPENINGS).allMatch(MockProducer::closed);
    }

    @Test
    void open_refusedForGood_failsAtOnce() {
        refusals.add(new TransactionalIdAuthorizationException("not yours"));
        assertThatThrownBy(producer::open).isInstanceOf(TransactionalIdAuthorizationException.class);
        assertThat(clients).hasSize(1).allMatch(MockProducer::closed);
        assertThat(pauses).isEmpty();
    }

    // While an abort waited for a coordinator, the end of the client that it had closed would have failed the run.
    @Test
    void clientThread_isKnownByItsAnswers_untilTheClientIsClosed() throws Exception {
        producer.open();
        producer.answered();
        assertThat(producer.clientThread().isDead()).isFalse();
        Thread.ofPlatform()
                .name("kafka-producer-network-thread | 1")
                .start(producer::answered)
                .join();
        assertThat(producer.clientThread().isDead()).isTrue();
        producer.breakOff();
        assertThat(producer.clientThread().isDead()).isFalse();
    }

    private final class Refusing extends MockProducer<String, String> {

        Refusing() {
            super(true, null, new StringSerializer(), new StringSerializer());
        }

        @Override
        public void initTransactions() {
            RuntimeException refusal = refusals.poll();
            if (refusal != null) {
                throw refusal;
            }
        }
    }
}
