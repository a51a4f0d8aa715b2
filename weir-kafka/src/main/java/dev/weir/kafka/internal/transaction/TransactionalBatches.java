package dev.weir.kafka.internal.transaction;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.commit.OffsetTexts;
import dev.weir.kafka.internal.health.ClientHealth;
import dev.weir.kafka.internal.health.ClientHealth.Found;
import dev.weir.kafka.internal.health.ClientProgress;
import dev.weir.kafka.internal.health.ClientWatch;
import dev.weir.kafka.internal.producer.OutputTopics;
import dev.weir.kafka.internal.producer.Producers;
import dev.weir.kafka.internal.producer.Refusals;
import dev.weir.kafka.internal.producer.Refused;
import dev.weir.kafka.internal.producer.RefusedTopics;
import dev.weir.kafka.internal.producer.Rejects;
import dev.weir.kafka.internal.producer.TopicWatch;
import dev.weir.kafka.internal.send.ClientInterrupts;
import dev.weir.kafka.produce.WriteFailures;
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
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what it pulls in transactions and acknowledges it after their commits. Keeps the records of the open
 * transaction, to send them again in another one. {@link #run} is confined to the segment's thread;
 * {@link #close} comes after it.
 */
public final class TransactionalBatches<K, V> implements SinkLoop<ProducerRecord<K, V>> {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionalBatches.class);

    private static final Backoff BACKOFF = Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(10));

    /** A record of the open transaction, and what became of it there. */
    private static final class Claim<K, V> {
        final ProducerRecord<K, V> record;
        final AckTarget target;
        final long token;

        /** The headers the record has before it is sent. */
        private final Header[] headers;

        private boolean wasSent;

        /** True if it may be the reason of a refusal, so that it is sent alone. The segment's thread. */
        boolean suspect;

        /** The reason why it was refused; written by the producer's thread, or within a send by the segment's. */
        volatile @Nullable Exception refusal;

        /** True if it was refused for itself, as the client said so at once or it was alone. */
        volatile boolean certain;

        Claim(ProducerRecord<K, V> record, AckTarget target, long token) {
            this.record = record;
            this.target = target;
            this.token = token;
            this.headers = Kept.headers(record);
        }

        /** The record, or another like it: one cannot be sent twice. */
        ProducerRecord<K, V> toSend() {
            ProducerRecord<K, V> next = wasSent ? Kept.copy(record, headers) : record;
            wasSent = true;
            return next;
        }

        String place() {
            return target.placeOf(token);
        }
    }

    private final StageContext context;
    private final String transactionalId;
    private final long intervalNanos;
    private final int commitRecords;
    private final TransactionalProducer<K, V> producer;
    private final TransactionCounts counts = new TransactionCounts();

    /** Takes what cannot be written; null if that fails the run. */
    private final @Nullable Refused<ProducerRecord<K, V>> rejects;

    private final RefusedTopics refusedTopics;

    /** The claims the open transaction holds; the segment's thread. */
    private final List<Claim<K, V>> open = new ArrayList<>();

    /** True if a transaction is begun, be it an empty one. The segment's thread. */
    private boolean begun;

    /** The one that is being sent, and by which thread. */
    private @Nullable Claim<K, V> sending;

    private @Nullable Thread sender;

    private volatile int inHand;

    /** Records that were sent so far; written by the segment's thread. */
    private volatile long sent;

    private final AtomicLong answers = new AtomicLong();

    /** True if a commit is under way; written by the segment's thread. */
    private volatile boolean committing;

    /** The topics that records were sent to. */
    private final Set<String> topics = ConcurrentHashMap.newKeySet();

    /** The last of them. The segment's thread. */
    private String lastTopic = "";

    private final TopicWatch watch;

    /** Of the thread that looks. */
    private ClientHealth health = new ClientHealth(false);

    private volatile boolean ended;

    /**
     * The refused record whose refusal says most: those of its neighbours in a batch say nothing. Written by the
     * producer's thread, or within a send by the segment's.
     */
    private final AtomicReference<@Nullable Claim<K, V>> refused = new AtomicReference<>();

    /**
     * Creates a loop that opens its producer, and another one where that is needed, by {@code clients}.
     *
     * @param watch looks after the topics that are written to
     * @param rejects takes what cannot be written; without it the first of them fails the run
     */
    TransactionalBatches(
            Supplier<Producer<K, V>> clients,
            StageContext context,
            String transactionalId,
            Duration commitInterval,
            int commitRecords,
            TopicWatch watch,
            @Nullable Refused<ProducerRecord<K, V>> rejects) {
        this.watch = watch;
        this.rejects = rejects;
        this.refusedTopics = new RefusedTopics(context.clock());
        this.context = context;
        this.transactionalId = transactionalId;
        this.intervalNanos = commitInterval.toNanos();
        this.commitRecords = commitRecords;
        this.producer = TransactionalProducer.ofUser(clients, () -> ended, this::pause);
        context.depth(() -> inHand);
        context.expose(counts);
    }

    /** Makes loops whose producers are closed with their runs. */
    public static <K, V> SinkFactory<ProducerRecord<K, V>> sink(
            ProducerSettings<K, V> settings,
            String transactionalId,
            Duration commitInterval,
            int commitRecords,
            WriteFailures failures) {
        return context -> {
            Producers<K, V> producers = new Producers<>(settings);
            TransactionalBatches<K, V> loop = new TransactionalBatches<>(
                    () -> producers.transactional(transactionalId, TransactionPlan.TIMEOUT_MILLIS),
                    context,
                    transactionalId,
                    commitInterval,
                    commitRecords,
                    OutputTopics.create(settings.clientConfig(), context),
                    Rejects.ofRecords(failures, context, settings));
            ClientProgress progress = ClientProgress.of(settings.clientConfig(), Set.of(transactionalId));
            loop.watch(progress);
            ClientWatch.begin(settings.clientConfig(), progress, context, loop::look);
            context.onTermination(patience -> {
                loop.close(patience);
                producers.close();
                return "";
            });
            return loop;
        };
    }

    /** Has the client be found that gets no answers. Before the run starts. */
    private void watch(ClientProgress progress) {
        health = new ClientHealth(false, progress, () -> topics);
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
            throw ClientInterrupts.unwrapped(interrupted);
        } catch (KafkaException failure) {
            throw ofRun(failure);
        }
    }

    private void take(Claim<K, V> claim) throws InterruptedException {
        open.add(claim);
        try {
            if (!begun) {
                producer.begin();
                begun = true;
            }
            send(claim);
        } catch (KafkaException | IllegalStateException broken) {
            again(broken, 0);
        }
        inHand = open.size();
        if (open.isEmpty()) {
            settleRejected();
        } else if (open.size() >= commitRecords) {
            commit();
        }
    }

    /** Sends a record, or gives it to who takes what cannot be written, if nothing of it is in the transaction then. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void send(Claim<K, V> claim) {
        Exception ofTopic = rejects == null ? null : refusedTopics.refusal(claim.record.topic());
        if (ofTopic != null) {
            reject(claim, ofTopic);
            return;
        }
        sending = claim;
        sender = Thread.currentThread();
        try {
            noteTopic(claim.record.topic());
            producer.send(claim.toSend(), (written, why) -> answered(claim, why));
            sent++;
        } catch (InterruptException interrupted) {
            throw interrupted;
        } catch (RuntimeException thrown) {
            if (rejects != null && rejects.takes(thrown)) {
                reject(claim, thrown);
            } else if (thrown instanceof SerializationException) {
                throw new ProduceException(claim.record.topic(), claim.place(), thrown);
            } else {
                throw thrown;
            }
        } finally {
            sending = null;
            sender = null;
        }
    }

    private void noteTopic(String topic) {
        if (!topic.equals(lastTopic)) {
            lastTopic = topic;
            topics.add(topic);
        }
    }

    private void answered(Claim<K, V> claim, @Nullable Exception why) {
        producer.answered();
        answers.incrementAndGet();
        if (why == null) {
            if (!watch.isKnown(claim.record.topic())) {
                watch.written(claim.record.topic());
            }
            return;
        }
        claim.certain = Thread.currentThread() == sender && claim == sending;
        claim.refusal = why instanceof TimeoutException waited ? Refusals.ofVainWait(waited) : why;
        refused.accumulateAndGet(claim, TransactionalBatches::sayingMore);
    }

    /** Of two refused records the one that was refused first, unless the other one's refusal says more. */
    private static <K, V> Claim<K, V> sayingMore(@Nullable Claim<K, V> first, @Nullable Claim<K, V> next) {
        Exception ofFirst = first == null ? null : first.refusal;
        Exception ofNext = Objects.requireNonNull(next).refusal;
        boolean isMore = ofFirst == null || (ofNext != null && Refusals.weight(ofNext) > Refusals.weight(ofFirst));
        return first == null || isMore ? next : first;
    }

    /** It is in no transaction from now on. */
    private void reject(Claim<K, V> claim, Exception why) {
        open.remove(claim);
        refusedTopics.refused(claim.record.topic(), why);
        Objects.requireNonNull(rejects).add(claim.record, why, claim.target, claim.token);
    }

    private void settleRejected() throws InterruptedException {
        if (rejects != null) {
            rejects.settle();
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
        begun = false;
        counts.committed(System.nanoTime() - start);
        for (Claim<K, V> claim : open) {
            claim.target.ack(claim.token);
        }
        context.meter().out(open.size());
        open.clear();
        inHand = 0;
        settleRejected();
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
            boolean ruled = isRuled(why);
            if (!ruled) {
                failIfFinal(why);
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
                context.clock()
                        .sleepUntil(
                                context.clock().after(BACKOFF.after(failures).toNanos()));
            }
            try {
                producer.begin();
                begun = true;
                sendAll();
                return;
            } catch (InterruptException | ProduceException last) {
                throw last;
            } catch (KafkaException | IllegalStateException again) {
                why = again;
            }
        }
    }

    /** Sends what the transaction is to hold, those alone that may be why the one before was refused. */
    private void sendAll() {
        for (Claim<K, V> claim : List.copyOf(open)) {
            if (claim.suspect) {
                producer.flush();
                throwIfRefused();
                send(claim);
                producer.flush();
                claim.certain = claim.refusal != null;
                throwIfRefused();
                claim.suspect = false;
            } else {
                send(claim);
            }
        }
        producer.flush();
    }

    /**
     * Only the abort may say that another run has the id: a coordinator that was asked for a commit has not answered.
     */
    private void abort() {
        try {
            producer.abort();
        } catch (KafkaException broken) {
            forgetRefusals();
            failIfFinal(broken);
            throw broken;
        }
        forgetRefusals();
    }

    /** Forgets refusals of an aborted transaction, which explain no later failure. */
    private void forgetRefusals() {
        refused.set(null);
        open.forEach(claim -> claim.refusal = null);
    }

    private void throwIfRefused() {
        Claim<K, V> first = refused.get();
        if (first != null) {
            throw new KafkaException("a record is refused: " + first.refusal, first.refusal);
        }
    }

    /**
     * Takes out what is refused for itself, and has those sent alone of which one may be the reason, as brokers refuse
     * a batch as a whole. False if no rule is for what has failed.
     */
    private boolean isRuled(RuntimeException broken) {
        if (rejects == null || ended || Faults.isFenced(broken)) {
            return false;
        }
        boolean found = false;
        for (Claim<K, V> claim : List.copyOf(open)) {
            Exception why = claim.refusal;
            if (why != null && rejects.takes(why)) {
                found = true;
                claim.suspect = true;
                if (claim.certain) {
                    reject(claim, why);
                }
            }
        }
        return found;
    }

    /** Fails the run if the failure would happen again or comes from another run of the same id. */
    private void failIfFinal(RuntimeException broken) {
        if (ended || broken instanceof InterruptException || broken instanceof KafkaPipelineException) {
            throw broken;
        }
        Claim<K, V> first = refused.get();
        Exception refusal = first == null ? null : first.refusal;
        if (first != null && refusal != null && Faults.fatal(refusal, first.record.topic()) != null) {
            throw new ProduceException(first.record.topic(), first.place(), refusal);
        }
        Exception why = refusal == null ? broken : refusal;
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
                : new KafkaPipelineException("transactions cannot go on: " + OffsetTexts.messageOf(failure), failure);
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
        Found found = health.look(
                client, producer.clientThread(), answered, Math.max(0, sent - answered), committing, nowNanos);
        if (found == Found.STUCK) {
            LOG.warn(
                    "pipeline {}: {}; its transaction is aborted and written again by another producer",
                    context.pipelineName(),
                    health.stuck());
            producer.breakOff();
            return;
        }
        KafkaPipelineException broken = health.failure(found);
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
