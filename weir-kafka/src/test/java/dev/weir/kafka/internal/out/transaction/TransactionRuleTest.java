package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.BareContext;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.Clock;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a rule excuses an abort only while the search for the refused record makes progress. */
@Timeout(60)
class TransactionRuleTest {

    private final TransactionsOfRun<String, String> run = new TransactionsOfRun<>(Clock.SYSTEM, false);
    private final BareContext context = new BareContext();
    private final TransactionCommitter<String, String> committer =
            new TransactionCommitter<>(run, context, new TransactionCounts(), null, number -> new Client());
    private final OffsetTracker source = new OffsetTracker(10, () -> {});

    private final ProducerRecord<String, String> record = new ProducerRecord<>("out", "large");

    /** True if the record is refused even when sent alone. */
    private boolean refuses = true;

    @BeforeEach
    void start() throws InterruptedException {
        source.name(new TopicPartition("in", 0));
        source.append(7, 1);
        ProducerSettings<String, String> settings = ProducerSettings.builder(
                        new StringSerializer(), new StringSerializer())
                .bootstrapServers("h:1")
                .build();
        run.rule = TransactionRule.of(WriteFailures.skip(), context, settings, committer.trial());
        committer.start();
        run.lock.lockInterruptibly();
        try {
            while (run.freeProducers() < TransactionCommitter.PRODUCERS) {
                run.changed.await();
            }
        } finally {
            run.lock.unlock();
        }
    }

    @AfterEach
    void close() {
        committer.close();
    }

    private TransactionRule<String, String> rule() {
        return Objects.requireNonNull(run.rule);
    }

    private OpenTransaction<String, String> begun() throws InterruptedException {
        run.lock.lockInterruptibly();
        try {
            if (run.state() == TransactionState.ABORTED) {
                run.resume(false);
            }
            committer.begin();
            return Objects.requireNonNull(run.filling());
        } finally {
            run.lock.unlock();
        }
    }

    /** Runs a transaction whose record the brokers refuse, and waits for the abort. */
    private void refused() throws InterruptedException {
        refused(0);
    }

    private void refused(long token) throws InterruptedException {
        refused(token, new RecordTooLargeException("planned"));
    }

    private void refused(long token, Exception refusal) throws InterruptedException {
        OpenTransaction<String, String> transaction = begun();
        rule().answerOf(transaction, record, TransactionRule.places(source, token))
                .onCompletion(null, refusal);
        awaitAbort();
    }

    private void awaitAbort() throws InterruptedException {
        run.lock.lockInterruptibly();
        try {
            while (run.state() != TransactionState.ABORTED) {
                run.changed.await();
            }
        } finally {
            run.lock.unlock();
        }
    }

    @Test
    void refusedRecord_isExcused_andFoundWhenItComesAgain() throws InterruptedException {
        assertThat(rule().refusal(record, source, 0)).isNull();
        refused();
        assertThat(context.failures).isEmpty();
        assertThat(rule().isQuiet("out")).isFalse();
        assertThat(rule().refusal(record, source, 0)).isInstanceOf(RecordTooLargeException.class);
        assertThat(rule().refusal(record, source, source.append(8, 1))).isNull();
    }

    @Test
    void failureWithoutARefusedRecord_endsTheRun_alsoAfterATransactionWithOne() throws InterruptedException {
        refused();
        OpenTransaction<String, String> next = begun();
        committer.abortFilling(new KafkaException("error state", new RecordTooLargeException("of nobody")));
        awaitAbort();
        assertThat(next.refusals).isEmpty();
        assertThat(context.failures).singleElement().isInstanceOf(ProduceException.class);
    }

    @Test
    void refusalsThatNoRecordIsFoundFor_endTheRunInTheEnd() throws InterruptedException {
        refuses = false;
        for (int i = 0; i < TransactionRule.MOST_IN_VAIN; i++) {
            refused();
            assertThat(rule().refusal(record, source, 0)).isNull();
        }
        assertThat(context.failures).isEmpty();
        refused();
        assertThat(context.failures).singleElement().isInstanceOf(ProduceException.class);
    }

    // Inputs may be read again in another order, and another record is then refused first. The run must continue.
    @Test
    void refusalsOfOneInputAfterTheOther_doNotEndTheRun() throws InterruptedException {
        for (int i = 0; i < TransactionRule.MOST_IN_VAIN + 2; i++) {
            refused(source.append(8 + i, 1));
        }
        assertThat(context.failures).isEmpty();
    }

    @Test
    void recordThatIsFound_beginsTheCountAgain() throws InterruptedException {
        for (int i = 0; i < TransactionRule.MOST_IN_VAIN + 2; i++) {
            refused();
            source.retain(0, 1);
            assertThat(rule().inPlaceOf(record, new RecordTooLargeException("alone"), source, 0))
                    .isNull();
        }
        assertThat(context.failures).isEmpty();
    }

    // Regression: the run restarted forever if the record's serializer adds a header.
    @Test
    void recordThatIsTried_canBeSentAfterwards() throws InterruptedException {
        refuses = false;
        refused();
        assertThat(rule().refusal(record, source, 0)).isNull();
        assertThat(record.headers().add("of-a-serializer", new byte[0])).hasSize(1);
    }

    // Regression: records for permitted topics were skipped for ten seconds.
    @Test
    void refusalThatNamesAnotherTopic_saysNothingAboutTheRecord() throws InterruptedException {
        refuses = false;
        refused(0, new TopicAuthorizationException(Set.of("other")));
        assertThat(context.failures).isEmpty();
        assertThat(rule().refusal(record, source, 0)).isNull();
        assertThat(rule().isQuiet("out")).isTrue();
    }

    @Test
    void refusalThatNamesNoTopic_isBelievedOnlyIfTheRecordIsRefusedAlone() throws InterruptedException {
        refuses = false;
        refused(0, new InvalidTopicException("which?"));
        assertThat(rule().refusal(record, source, 0)).isNull();
        refuses = true;
        assertThat(rule().refusal(record, source, 0)).isInstanceOf(RecordTooLargeException.class);
    }

    @Test
    void refusalThatNamesTheTopicOfTheRecord_isBelieved() throws InterruptedException {
        refuses = false;
        Exception forbidden = new TopicAuthorizationException(Set.of("other", "out"));
        refused(0, forbidden);
        assertThat(rule().refusal(record, source, 0)).isSameAs(forbidden);
        assertThat(rule().isQuiet("out")).isFalse();
    }

    private final class Client extends MockProducer<String, String> {

        Client() {
            super(true, null, new StringSerializer(), new StringSerializer());
        }

        @Override
        public synchronized Future<RecordMetadata> send(ProducerRecord<String, String> record, Callback callback) {
            ((RecordHeaders) record.headers()).setReadOnly();
            Future<RecordMetadata> sent = super.send(record, refuses ? null : callback);
            if (refuses) {
                callback.onCompletion(null, new RecordTooLargeException("alone"));
            }
            return sent;
        }
    }
}
