package dev.weir.kafka.internal.transaction;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.health.ClientHealth;
import dev.weir.kafka.internal.health.ClientWatch;
import dev.weir.kafka.internal.producer.Producers;
import dev.weir.stream.Backoff;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SinkFactory;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.SerializationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what it pulls in transactions and acknowledges it after their commits. Keeps the records of the open transaction,
 * to send them again in another one. {@link #run} is confined to the segment's thread; {@link #close} comes after it.
 */
public final class TransactionalBatches<K, V> implements SinkLoop<ProducerRecord<K, V>> {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionalBatches.class);

    private static final Backoff BACKOFF = Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(10));

    private record Claim<K, V>(ProducerRecord<K, V> record, AckTarget target, long token) {}

    private final StageContext context;
    private final String transactionalId;
    private final long intervalNanos;
    private final int commitRecords;
    private final TransactionalProducer<K, V> producer;
    private final TransactionCounts counts = new TransactionCounts();

    /** What the open transaction holds; the segment's thread. */
    private final List<Claim<K, V>> open = new ArrayList<>();

    private volatile int inHand;

    /** Records that were sent so far; written by the segment's thread. */
    private volatile long sent;

    private final AtomicLong answers = new AtomicLong();

    /** Whether a commit is under way; written by the segment's thread. */
    private volatile boolean committing;

    /** Of the thread that looks. */
    private final ClientHealth health = new ClientHealth(false);

    private volatile boolean ended;

    /** The first record that the brokers refuse: written by the producer's thread. */
    private volatile @Nullable Refusal refusal;

    private record Refusal(ProducerRecord<?, ?> record, AckTarget target, long token, Exception why) {}

    /** Creates a loop that opens its producer, and another one where that is needed, by {@code clients}. */
    TransactionalBatches(
            Supplier<Producer<K, V>> clients,
            StageContext context,
            String transactionalId,
            Duration commitInterval,
            int commitRecords) {
        this.context = context;
        this.transactionalId = transactionalId;
        this.intervalNanos = commitInterval.toNanos();
        this.commitRecords = commitRecords;
        this.producer = new TransactionalProducer<>(clients, () -> ended, this::pause);
        context.depth(() -> inHand);
        context.expose(counts);
    }

    /** Makes loops whose producers are closed with their runs. */
    public static <K, V> SinkFactory<ProducerRecord<K, V>> sink(
            ProducerSettings<K, V> settings, String transactionalId, Duration commitInterval, int commitRecords) {
        return context -> {
            Producers<K, V> producers = new Producers<>(settings);
            TransactionalBatches<K, V> loop = new TransactionalBatches<>(
                    () -> producers.transactional(transactionalId, TransactionPlan.TIMEOUT_MILLIS),
                    context,
                    transactionalId,
                    commitInterval,
                    commitRecords);
            ClientWatch.begin(settings.clientConfig(), context, loop::look);
            context.onTermination(patience -> {
                loop.close(patience);
                producers.close();
                return "";
            });
            return loop;
        };
    }

    @Override
    public void run(Stage<ProducerRecord<K, V>> upstream) throws InterruptedException {
        try {
            producer.open();
            long dueNanos = Stage.NEVER;
            Batch<ProducerRecord<K, V>> batch;
            while ((batch = upstream.pull(open.isEmpty() ? Stage.NEVER : dueNanos)) != null) {
                long start = System.nanoTime();
                for (int i = 0; i < batch.size(); i++) {
                    if (open.isEmpty()) {
                        dueNanos = context.clock().after(intervalNanos);
                    }
                    take(new Claim<>(batch.get(i), batch.target(i), batch.token(i)));
                }
                context.meter().worked(batch.size(), 0, start);
                if (!open.isEmpty() && context.clock().hasPassed(dueNanos)) {
                    commit();
                }
            }
            if (!open.isEmpty()) {
                commit();
            }
        } catch (InterruptException interrupted) {
            boolean ignored = Thread.interrupted();
            InterruptedException unwrapped = new InterruptedException();
            unwrapped.initCause(interrupted);
            throw unwrapped;
        } catch (KafkaException failure) {
            throw ofRun(failure);
        }
    }

    private void take(Claim<K, V> claim) throws InterruptedException {
        boolean first = open.isEmpty();
        open.add(claim);
        inHand = open.size();
        try {
            if (first) {
                producer.begin();
            }
            send(claim);
        } catch (KafkaException | IllegalStateException broken) {
            again(broken, 0);
        }
        if (open.size() >= commitRecords) {
            commit();
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void send(Claim<K, V> claim) {
        try {
            producer.send(claim.record, (written, why) -> {
                producer.answered();
                answers.incrementAndGet();
                if (why != null && refusal == null) {
                    refusal = new Refusal(claim.record, claim.target, claim.token, why);
                }
            });
            sent++;
        } catch (SerializationException refused) {
            throw new ProduceException(claim.record.topic(), claim.target.placeOf(claim.token), refused);
        }
    }

    /** Returns when the open transaction is committed, in whatever attempt, and its inputs are acknowledged. */
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
        counts.committed(System.nanoTime() - start);
        for (Claim<K, V> claim : open) {
            claim.target.ack(claim.token);
        }
        context.meter().out(open.size());
        open.clear();
        inHand = 0;
    }

    /** Returns false if it was aborted, and its records are in another transaction. */
    private boolean isCommitted(int failures) throws InterruptedException {
        try {
            producer.commit();
            return true;
        } catch (KafkaException | IllegalStateException broken) {
            again(broken, failures);
            return false;
        }
    }

    /** Aborts the open transaction and sends its records in another one, until all are there; or fails the run. */
    private void again(RuntimeException broken, int failuresBefore) throws InterruptedException {
        RuntimeException why = broken;
        for (int failures = failuresBefore + 1; ; failures++) {
            failIfFinal(why);
            counts.aborted.increment();
            counts.rewound.add(open.size());
            LOG.warn(
                    "pipeline {}: a transaction with {} records is aborted, they are sent again: {}",
                    context.pipelineName(),
                    open.size(),
                    why.toString());
            producer.abort();
            refusal = null;
            context.clock()
                    .sleepUntil(context.clock().after(BACKOFF.after(failures).toNanos()));
            try {
                producer.begin();
                open.forEach(this::send);
                producer.flush();
                return;
            } catch (InterruptException | ProduceException last) {
                throw last;
            } catch (KafkaException | IllegalStateException again) {
                why = again;
            }
        }
    }

    /** What would happen again, and what another run of the same id does, ends this one. */
    private void failIfFinal(RuntimeException broken) {
        if (ended || broken instanceof InterruptException || broken instanceof KafkaPipelineException) {
            throw broken;
        }
        Refusal first = refusal;
        if (first != null && Faults.fatal(first.why, first.record.topic()) != null) {
            throw new ProduceException(first.record.topic(), first.target.placeOf(first.token), first.why);
        }
        Exception why = first == null ? broken : first.why;
        if (Faults.isFenced(why) || Faults.isFenced(broken)) {
            counts.fenced.increment();
            throw new KafkaPipelineException(
                    "another producer took transactional.id=" + transactionalId
                            + ", or a transaction took longer than transaction.timeout.ms: nothing of the open"
                            + " transaction is seen; give each run an id of its own, and commit more often",
                    why);
        }
        KafkaPipelineException fatal = Faults.fatal(why, "");
        if (fatal != null) {
            throw fatal;
        }
    }

    private static KafkaPipelineException ofRun(KafkaException failure) {
        return Faults.ofRun(failure) instanceof KafkaPipelineException known
                ? known
                : new KafkaPipelineException("transactions cannot go on: " + failure.getMessage(), failure);
    }

    private void pause(Duration time) {
        try {
            context.clock().sleepUntil(context.clock().after(time.toNanos()));
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }

    /** Fails the run if the client cannot answer any more, as a commit would wait for that without end. One thread. */
    private void look(long nowNanos) {
        Producer<K, V> client = producer.look();
        if (client == null || ended) {
            return;
        }
        long answered = answers.get();
        KafkaPipelineException broken = ClientHealth.failure(health.look(
                client, producer.clientThread(), answered, Math.max(0, sent - answered), committing, nowNanos));
        if (broken != null) {
            context.fail(broken);
            producer.breakOff();
        }
    }

    private void close(Duration patience) {
        ended = true;
        producer.close(patience); // aborts what is open
    }
}
