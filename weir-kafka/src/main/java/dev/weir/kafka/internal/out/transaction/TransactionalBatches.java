package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.client.ClientWatch;
import dev.weir.kafka.internal.out.client.RecordRefusals;
import dev.weir.kafka.internal.out.client.RefusalSearch;
import dev.weir.kafka.internal.out.client.RefusalSearch.Reason;
import dev.weir.kafka.internal.out.client.WriteLoop;
import dev.weir.kafka.internal.out.write.OutputTopics;
import dev.weir.kafka.internal.out.write.ProducerRunLog;
import dev.weir.kafka.internal.out.write.RunProducers;
import dev.weir.kafka.internal.out.write.TopicWatch;
import dev.weir.kafka.internal.out.write.WriteRule;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.Backoff;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.SinkFactory;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes pulled records in transactions, and acknowledges their inputs after the commits. Keeps the records of the open
 * transaction, to send them again after an abort. {@link #run} is confined to the stage's thread. {@link #close} is
 * called after {@code run}.
 */
public final class TransactionalBatches<K, V> extends WriteLoop<ProducerRecord<K, V>> {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionalBatches.class);

    private static final Backoff BACKOFF = Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(10));

    /** A record of the open transaction, which is also the callback for its outcome. */
    private final class PendingRecord extends TransactionRecord<K, V> implements Callback {

        private boolean wasSent;

        PendingRecord(ProducerRecord<K, V> record, AckTarget target, long token) {
            super(record, target, token);
        }

        /** Returns the record, or a copy if it was sent before. The client does not accept a record twice. */
        ProducerRecord<K, V> toSend() {
            ProducerRecord<K, V> next = wasSent ? copy() : record;
            wasSent = true;
            return next;
        }

        @Override
        public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception why) {
            if (why != null) {
                Exception refusal = why instanceof TimeoutException waited ? RecordRefusals.ofVainWait(waited) : why;
                if (Thread.currentThread() == sender) {
                    search.refusedForItself(this, refusal);
                } else {
                    search.refused(this, refusal);
                }
            } else if (!watch.isKnown(record.topic())) {
                watch.written(record.topic());
            }
        }
    }

    /** Sends the records of a transaction again. */
    private final class InTransaction implements RefusalSearch.Way<PendingRecord> {

        @Override
        public boolean send(PendingRecord pending) {
            TransactionalBatches.this.send(pending);
            return true;
        }

        @Override
        public boolean settle() {
            producer.flush();
            Reason<PendingRecord> first = search.reason();
            if (first != null) {
                throw new KafkaException("a record is refused: " + first.why(), first.why());
            }
            return true;
        }
    }

    private final StageContext context;
    private final String transactionalId;
    private final long intervalNanos;
    private final int commitRecords;
    private final TransactionalProducer<K, V> producer;
    private final TransactionCounts counts = new TransactionCounts();

    private final WriteRule<ProducerRecord<K, V>> rule;
    private final RefusalSearch<PendingRecord> search = new RefusalSearch<>();

    /** The records of the open transaction. Confined to the stage's thread. */
    private final List<PendingRecord> open = new ArrayList<>();

    /** The time of the next commit, if a record is open. Confined to the stage's thread. */
    private long dueNanos = Stage.NEVER;

    /** True if a transaction has begun, even an empty one. Confined to the stage's thread. */
    private boolean begun;

    /** The thread inside a send. A callback on this thread means that the record itself was rejected. */
    private @Nullable Thread sender;

    private volatile int inHand;

    /** Written by the stage's thread. */
    private volatile boolean committing;

    private final TopicWatch watch;

    private volatile boolean ended;

    /**
     * Creates a loop.
     *
     * @param clients creates the loop's first producer and each replacement
     * @param watch monitors the output topics
     * @param rule handles records that cannot be written
     * @param progress detects a stuck client
     */
    TransactionalBatches(
            Supplier<Producer<K, V>> clients,
            StageContext context,
            String transactionalId,
            Duration commitInterval,
            int commitRecords,
            TopicWatch watch,
            WriteRule<ProducerRecord<K, V>> rule,
            ClientProgress progress) {
        super(context.meter());
        this.watch = watch;
        this.rule = rule;
        this.context = context;
        this.transactionalId = transactionalId;
        this.intervalNanos = commitInterval.toNanos();
        this.commitRecords = commitRecords;
        this.producer = TransactionalProducer.ofUser(clients, progress, () -> ended, this::pause);
        context.depth(() -> inHand);
        context.expose(counts);
    }

    /** Returns a factory of loops. Each loop's producer is closed when its run ends. */
    public static <K, V> SinkFactory<ProducerRecord<K, V>> sink(
            ProducerSettings<K, V> settings,
            String transactionalId,
            Duration commitInterval,
            int commitRecords,
            WriteFailures failures) {
        return context -> {
            RunProducers<K, V> producers = new RunProducers<>(settings);
            ClientProgress progress = ClientProgress.of(settings.clientConfig(), Set.of(transactionalId));
            TransactionalBatches<K, V> loop = new TransactionalBatches<>(
                    () -> producers.transactional(transactionalId, TransactionPlan.TIMEOUT_MILLIS),
                    context,
                    transactionalId,
                    commitInterval,
                    commitRecords,
                    OutputTopics.create(settings.clientConfig(), context),
                    WriteRule.ofRecords(failures, context, settings),
                    progress);
            ClientWatch.begin(settings.clientConfig(), progress, context, loop::look);
            ProducerRunLog.follow(ProducePath.CLIENT, context, patience -> {
                String left = loop.close(patience);
                producers.close();
                return left;
            });
            return loop;
        };
    }

    @Override
    protected void begin() {
        producer.open();
    }

    @Override
    protected long deadlineNanos() {
        return open.isEmpty() ? Stage.NEVER : dueNanos;
    }

    @Override
    protected void send(Batch<ProducerRecord<K, V>> batch) throws InterruptedException {
        for (int i = 0; i < batch.size(); i++) {
            if (open.isEmpty()) {
                dueNanos = context.clock().after(intervalNanos);
            }
            take(new PendingRecord(batch.get(i), batch.target(i), batch.token(i)));
        }
    }

    @Override
    protected void settle() throws InterruptedException {
        if (!open.isEmpty() && context.clock().hasPassed(dueNanos)) {
            commit();
        }
    }

    @Override
    protected void finish() throws InterruptedException {
        if (!open.isEmpty()) {
            commit();
        }
    }

    @Override
    protected RuntimeException explained(KafkaException failure) {
        return TransactionFaults.ofClient(failure);
    }

    private void take(PendingRecord pending) throws InterruptedException {
        open.add(pending);
        inHand = open.size();
        try {
            if (!begun) {
                producer.begin();
                begun = true;
            }
            send(pending);
        } catch (KafkaException | IllegalStateException broken) {
            again(broken, 0);
        }
        inHand = open.size();
        if (open.isEmpty()) {
            rule.settle();
        } else if (open.size() >= commitRecords) {
            commit();
        }
    }

    /** Sends a record. Passes it to the rule for unwritable records if the client rejects it. */
    private void send(PendingRecord pending) {
        Exception ofTopic = rule.refusalOf(pending.record.topic());
        if (ofTopic != null) {
            reject(pending, ofTopic);
            return;
        }
        sender = Thread.currentThread();
        try {
            var ignored = producer.client.send(pending.toSend(), pending);
        } catch (InterruptException interrupted) {
            throw interrupted;
        } catch (RuntimeException thrown) {
            if (rule.takes(thrown)) {
                reject(pending, thrown);
            } else if (thrown instanceof SerializationException) {
                throw new ProduceException(pending.record.topic(), pending.place(), thrown);
            } else {
                throw thrown;
            }
        } finally {
            sender = null;
        }
    }

    /** Removes a record from the open transaction, and passes it to the rule for unwritable records. */
    private void reject(PendingRecord pending, Exception why) {
        open.remove(pending);
        var ignored = search.forget(pending);
        rule.note(pending.record.topic(), why);
        rule.add(pending.record, why, pending.target, pending.token);
    }

    /** Commits the open records, with as many attempts as necessary, and acknowledges their inputs. */
    private void commit() throws InterruptedException {
        long start = System.nanoTime();
        committing = true;
        context.meter().beginBlockedDown(1);
        try {
            for (int failures = 0; !isCommitted(failures); failures++) {
                LOG.debug("committed in another attempt");
            }
        } finally {
            committing = false;
            context.meter().endBlockedDown();
        }
        begun = false;
        counts.committed(System.nanoTime() - start);
        Batch<PendingRecord> done = new Batch<>(open.size());
        open.forEach(pending -> done.add(pending, pending.target, pending.token));
        open.clear();
        done.ackAll(); // even if a target throws
        context.meter().out(done.size());
        inHand = 0;
        rule.settle();
    }

    /** Tries to commit. After a failure, aborts the transaction, sends its records again and returns false. */
    private boolean isCommitted(int failures) throws InterruptedException {
        try {
            producer.commit();
            return true;
        } catch (KafkaException | IllegalStateException broken) {
            again(broken, failures);
            return false;
        }
    }

    /** Aborts the open transaction, and sends its records again in a new one, until all are sent or the run fails. */
    private void again(RuntimeException broken, int failuresBefore) throws InterruptedException {
        RuntimeException why = broken;
        for (int failures = failuresBefore + 1; ; failures++) {
            Reason<PendingRecord> reason = search.reason();
            boolean mayRule = !ended && !TransactionFaults.isFenced(why);
            boolean ruled = search.review(refusal -> mayRule && rule.takes(refusal), this::reject);
            if (!ruled) {
                failIfFinal(why, reason);
            }
            counts.aborted.increment();
            counts.rewound.add(open.size());
            LOG.warn(
                    "pipeline {}: a transaction with {} records is aborted, they are sent again: {}",
                    context.pipelineName(),
                    open.size(),
                    why.toString());
            abort();
            begun = false;
            if (!ruled) {
                Clock clock = context.clock();
                clock.sleepUntil(
                        clock.after(BACKOFF.after(failures, clock.nanoTime()).toNanos()));
            }
            try {
                producer.begin();
                begun = true;
                int ignored = search.resend(List.copyOf(open), new InTransaction());
                return;
            } catch (InterruptException | ProduceException last) {
                throw last;
            } catch (KafkaException | IllegalStateException again) {
                why = again;
            }
        }
    }

    /** Aborts the transaction. Fails the run if another run has taken over the transactional id. */
    private void abort() {
        try {
            producer.abort();
        } catch (KafkaException broken) {
            failIfFinal(broken, null);
            throw broken;
        } finally {
            // The rejections of the aborted transaction cannot explain a later failure.
            boolean ignored = search.review(refusal -> false, (pending, why) -> {});
        }
    }

    /** Fails the run if a retry cannot succeed, or if another run has the transactional id. */
    private void failIfFinal(RuntimeException broken, @Nullable Reason<PendingRecord> reason) {
        if (ended || broken instanceof InterruptException || broken instanceof KafkaPipelineException) {
            throw broken;
        }
        String topic = reason == null ? "" : reason.record().record.topic();
        if (reason != null && TransactionFaults.fatal(reason.why(), topic, "") != null) {
            throw new ProduceException(topic, reason.record().place(), reason.why());
        }
        Exception why = reason == null ? broken : reason.why();
        if (TransactionFaults.isFenced(why) || TransactionFaults.isFenced(broken)) {
            counts.fenced.increment();
            throw new KafkaPipelineException(
                    "another producer took transactional.id=" + transactionalId
                            + ", or a transaction took longer than transaction.timeout.ms: nothing of the open"
                            + " transaction becomes visible; give each run its own id, and commit more often",
                    why);
        }
        KafkaPipelineException fatal = TransactionFaults.fatal(why, "", "");
        if (fatal != null) {
            throw fatal;
        }
    }

    private void pause(Duration time) {
        try {
            context.clock().sleepUntil(context.clock().after(time.toNanos()));
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }

    /** Fails the run if the client can no longer complete records. Called by the monitoring thread. */
    private void look(long nowNanos) {
        if (ended) {
            return;
        }
        String where = " and writes the transaction of pipeline " + context.pipelineName() + " again";
        KafkaPipelineException broken = producer.client.look(nowNanos, committing, where);
        if (broken != null) {
            context.fail(broken);
            producer.breakOff();
        }
    }

    private String close(Duration patience) {
        ended = true;
        producer.close(patience); // aborts the open transaction
        return inHand == 0 ? "" : inHand + " records of the open transaction";
    }
}
