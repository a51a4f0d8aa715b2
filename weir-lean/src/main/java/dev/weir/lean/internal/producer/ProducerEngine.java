package dev.weir.lean.internal.producer;

import dev.weir.lean.LeanException;
import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.SendListener;
import dev.weir.lean.UnwrittenRecords;
import dev.weir.lean.internal.cluster.BrokerAddress;
import dev.weir.lean.internal.cluster.BrokerLinks;
import dev.weir.lean.internal.cluster.ClusterMetadata;
import dev.weir.lean.internal.cluster.RetryBackoff;
import dev.weir.lean.internal.encode.Compressor;
import dev.weir.lean.internal.producer.ProducerBatch.State;
import dev.weir.lean.internal.wire.FailureText;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.InvalidMetadataException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The producer's thread. It takes batches from callers, sends them to the partition leaders, and notifies the listener.
 * ADR 85 has a diagram of a batch's states. Methods are confined to this thread unless marked thread-safe.
 */
final class ProducerEngine implements Runnable, ProduceAnswers {

    private static final Logger LOG = LoggerFactory.getLogger(ProducerEngine.class);

    /** Longest wait while work is outstanding. Delayed work, for example a retry, is checked at this interval. */
    private static final long PATIENCE_NANOS = 10_000_000;

    private static final long IDLE_NANOS = 1_000_000_000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /**
     * Longest time for which a batch takes more records while its broker accepts no requests, unless linger is longer.
     */
    private static final long FILLED_ON_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Linger time for partitions that cannot send now; longer than the age of any batch. */
    private static final long FOREVER_NANOS = 1L << 60;

    private final ProducerTopics topics;
    private final ProducerBatchPool pool;
    private final ProducerProgress changes;
    private final ProducerCounters counters;
    private final BatchEndings endings;
    private final ProducerId id = new ProducerId();
    private final BrokerLinks links;
    private final Compressor compressor;
    private final BatchDivider divider = new BatchDivider();
    private final SplittableRandom random;
    private final ClusterMetadata metadata;
    private final LeaderRequests leaders;
    private final KnownPartitions located;
    private final long lingerNanos;
    private final long deliveryNanos;
    private final long maxBackoffNanos;

    /** Number of records per partition that were given up when the thread stopped. */
    private final Map<TopicPartition, Long> unwritten = new HashMap<>();

    /** Created in advance, for use when no memory is left for an exception. */
    private final LeanException noMemory =
            new LeanException("the producer has failed, and ran out of memory; the log may say why", null);

    /** True if this iteration has found records for a broker that is not busy. */
    private boolean foundFree;

    private long nowNanos;
    private long nextLookNanos;

    // Written by any thread
    private volatile boolean held;
    private volatile boolean news;
    private volatile boolean asleep;
    private volatile boolean ending;
    private volatile @Nullable LeanException failure;
    private volatile @Nullable UnwrittenRecords abandoned;
    private volatile boolean ended;

    /** @throws org.apache.kafka.common.KafkaException if a property is invalid; the message names the property */
    ProducerEngine(
            LeanProducerSettings settings,
            SendListener listener,
            ProducerTopics topics,
            ProducerBatchPool pool,
            ProducerProgress changes,
            ProducerCounters counters) {
        this.topics = topics;
        this.pool = pool;
        this.changes = changes;
        this.counters = counters;
        this.endings = new BatchEndings(listener, pool, counters);
        this.lingerNanos = settings.linger().toNanos();
        this.deliveryNanos = settings.deliveryTimeout().toNanos();
        this.maxBackoffNanos = settings.maxBackoff().toNanos();
        List<BrokerAddress> bootstrap = BrokerAddress.bootstrap(settings.properties());
        this.links = BrokerLinks.open(forLinks(settings));
        try {
            this.nowNanos = links.nanoTime();
            this.random = links.newRandom();
            this.compressor = new Compressor(settings.compression());
            ProduceRequest request = new ProduceRequest(
                    settings.properties().getOrDefault(CommonClientConfigs.CLIENT_ID_CONFIG, "weir-lean"),
                    (int) settings.requestTimeout().toMillis());
            this.located = new KnownPartitions(
                    topics.byName(),
                    this::newBackoff,
                    address -> new ProducerBroker(address, request, settings, this, counters, links));
            this.metadata = new ClusterMetadata(
                    bootstrap, located, newBackoff(), settings.metadataMaxAge().toNanos());
            this.leaders = new LeaderRequests(metadata, id::learn, newBackoff(), links);
        } catch (Throwable e) {
            links.close();
            throw e;
        }
    }

    /** Converts the connection settings to the consumer's settings, as {@link BrokerLinks} requires. */
    private static LeanSettings forLinks(LeanProducerSettings settings) {
        LeanSettings.Builder builder = LeanSettings.builder();
        settings.properties().forEach((name, value) -> {
            if (!name.startsWith("fetch.") && !name.startsWith("max.")) {
                builder.property(name, value);
            }
        });
        return builder.maxFetchWait(Duration.ZERO)
                .requestTimeout(settings.requestTimeout())
                .maxBackoff(settings.maxBackoff())
                .metadataMaxAge(settings.metadataMaxAge())
                .build();
    }

    private RetryBackoff newBackoff() {
        return new RetryBackoff(maxBackoffNanos, random);
    }

    /** Current time as in {@link System#nanoTime}; the clock for the age of batches. Thread-safe. */
    long nanoTime() {
        return links.nanoTime();
    }

    /** Notifies the thread of new work. Thread-safe. */
    void wake() {
        news = true;
        if (asleep) {
            links.wakeup();
        }
    }

    /** Returns whether the last iteration found new records only for busy brokers, or none. Thread-safe. */
    boolean isHeld() {
        return held;
    }

    /** Stops the thread, and reports all records without an outcome as failed. Thread-safe. */
    void end() {
        ending = true;
        wake();
    }

    /** The failure that stopped the thread; null if there is none. Thread-safe. */
    @Nullable
    LeanException failure() {
        return failure;
    }

    /** Returns whether the thread has stopped and has reported the outcome of every record. Thread-safe. */
    boolean hasEnded() {
        return ended;
    }

    /**
     * Number of unwritten records per partition when the thread stopped; null while it is running, or if there was no
     * memory for the result. Thread-safe.
     */
    @Nullable
    UnwrittenRecords abandoned() {
        return abandoned;
    }

    @Override
    public void run() {
        String why = "the producer was closed before it was acknowledged";
        try {
            while (!ending) {
                news = false;
                int work = turn();
                changes.tell();
                if (work == 0) {
                    idle();
                }
            }
        } catch (Throwable e) {
            LeanException found = noMemory; // kept if there is no memory for a better exception
            try {
                why = "the producer has failed: " + FailureText.of(e);
                found = new LeanException(why, e);
            } finally {
                failure = found;
            }
            LOG.error(why, e);
        } finally {
            stop(why);
        }
    }

    /** Stops the producer. Each step runs even if an earlier one fails. */
    private void stop(String why) {
        try {
            pool.close();
            topics.close();
        } finally {
            try {
                abandoned = abandon(why);
            } finally {
                if (abandoned == null && failure == null) {
                    failure = noMemory;
                }
                try {
                    links.close();
                    compressor.close();
                    divider.close();
                } finally {
                    ended = true;
                    changes.tell();
                }
            }
        }
    }

    /** Does all work that is possible without blocking. Returns the amount of work done. */
    int turn() {
        nowNanos = links.nanoTime();
        if (topics.takeNew()) {
            metadata.want();
        }
        if (topics.takeMissed()) {
            metadata.wantLater(nowNanos);
        }
        int work = pollLinks();
        if (ending) {
            // The listener may have called end() for a rejected record. Send no later records.
            return work;
        }
        boolean pressed = pool.takePressed();
        nextLookNanos = nowNanos + IDLE_NANOS;
        List<ProducerPartition> all = located.partitions();
        foundFree = false;
        for (int i = 0; i < all.size(); i++) {
            lookAt(all.get(i), pressed);
        }
        tellHeld();
        for (ProducerBroker broker : located.brokers()) {
            if (!ending) {
                work += broker.send(nowNanos);
            }
        }
        work += leaders.poll(nowNanos, topics.all(), id.isWanted());
        if (leaders.isPutOff(topics.all(), id.isWanted())) {
            lookAgain(nowNanos + PATIENCE_NANOS);
        }
        return work;
    }

    /**
     * Updates {@link #held} without losing the wake-up of a caller that gets no batch at the same time. The caller
     * first sets the pool's flag and then reads {@link #held}; this method first writes {@link #held} and then reads
     * the flag.
     */
    private void tellHeld() {
        if (held == foundFree) {
            held = !foundFree;
            if (foundFree && pool.isPressed()) {
                news = true;
            }
        }
    }

    /**
     * Polls the connections to all brokers. If one broker rejects credentials that another broker has accepted, it
     * counts as unreachable, and the connection is retried.
     */
    private int pollLinks() {
        try {
            return links.poll(nowNanos);
        } catch (LeanException refused) {
            if (!metadata.isKnown() || !(refused.getCause() instanceof AuthenticationException)) {
                throw refused;
            }
            LOG.warn("{}; it is tried again", FailureText.of(refused));
            return 1;
        }
    }

    private void idle() {
        asleep = true;
        if (!news) {
            long nanos = nextLookNanos - links.nanoTime();
            links.await(Math.max(0, Math.ceilDiv(nanos, NANOS_PER_MILLI)));
        }
        asleep = false;
    }

    private void lookAt(ProducerPartition partition, boolean pressed) {
        if (partition.held && !isBusy(partition)) {
            partition.held = false;
        }
        if (partition.intake.hasSome()) {
            // A busy broker's batch takes more records, but only for a while: its delivery timeout is running.
            boolean busy = isBusy(partition);
            if (busy) {
                partition.held = true;
            } else {
                foundFree = true;
            }
            boolean room = !busy && partition.hasRoom();
            long filledNanos = busy ? Math.max(lingerNanos, FILLED_ON_NANOS) : room ? lingerNanos : FOREVER_NANOS;
            long begun = partition.intake.drain(partition.waiting, nowNanos - filledNanos, pressed && room);
            if (begun != RecordIntake.NEVER && (room || busy)) {
                lookAgain(busy ? nowNanos + PATIENCE_NANOS : begun + lingerNanos);
            }
        }
        if (partition.waiting.isEmpty() && partition.flying.isEmpty()) {
            return;
        }
        lookAgain(nowNanos + PATIENCE_NANOS);
        if (partition.flying.isEmpty()) {
            giveUpOverdue(partition);
        }
        if (partition.maySend(nowNanos) && id.identifies(partition)) {
            offer(partition);
        }
    }

    private boolean isBusy(ProducerPartition partition) {
        ProducerBroker leader = located.leader(partition);
        return leader != null && leader.isBusy();
    }

    private void lookAgain(long atNanos) {
        if (atNanos - nextLookNanos < 0) {
            nextLookNanos = atNanos;
        }
    }

    private void giveUpOverdue(ProducerPartition partition) {
        LeanException refusal = partition.topic.refusal();
        for (ProducerBatch head = partition.waiting.peek(); head != null; head = partition.waiting.peek()) {
            if (refusal == null && nowNanos - head.begunNanos <= deliveryNanos) {
                return;
            }
            if (refusal != null) {
                head.trouble = FailureText.of(refusal);
                head.cause = refusal.getCause();
            } else {
                head.trouble = "not acknowledged within deliveryTimeout=" + deliveryNanos / NANOS_PER_MILLI + " ms; "
                        + (head.trouble.isEmpty()
                                ? "no leader could be reached, or it took no further request"
                                : "last: " + head.trouble);
                head.cause = new TimeoutException(head.trouble);
            }
            head.state = State.REFUSED;
            settle(partition);
        }
    }

    private void offer(ProducerPartition partition) {
        ProducerBroker leader = located.leader(partition);
        if (leader == null) {
            metadata.wantLater(nowNanos);
            return;
        }
        if (!partition.flying.isEmpty() && partition.broker != leader) {
            return;
        }
        partition.broker = leader;
        ProducerBatch head = partition.waiting.element();
        if (head.state == State.DIVIDE) {
            head = divide(partition);
        }
        if (!head.compressed) {
            compressor.compress(head.writer);
            head.compressed = true;
        }
        leader.offer(partition);
    }

    private ProducerBatch divide(ProducerPartition partition) {
        ProducerBatch whole = partition.waiting.element();
        List<ProducerBatch> halves = divider.halves(partition, whole);
        partition.waiting.remove();
        partition.waiting.addFirst(halves.get(1));
        partition.waiting.addFirst(halves.get(0));
        pool.release(whole);
        counters.add(ProducerCounters.DIVIDED, 1);
        return halves.get(0);
    }

    @Override
    public void written(ProducerPartition partition, ProducerBatch batch, long offset) {
        partition.written(batch, offset, nowNanos);
        settle(partition);
    }

    @Override
    public void refused(ProducerPartition partition, ProducerBatch batch, PartitionProduceResponse answer) {
        Errors error = Errors.forCode(answer.errorCode());
        partition.topic.agreement.refused(error, nowNanos);
        String message = answer.errorMessage();
        String why = error.name() + ": " + (message == null || message.isEmpty() ? error.message() : message);
        switch (error) {
            case OUT_OF_ORDER_SEQUENCE_NUMBER,
                    UNKNOWN_PRODUCER_ID,
                    DUPLICATE_SEQUENCE_NUMBER,
                    INVALID_PRODUCER_EPOCH -> {
                boolean head = partition.isHead(batch);
                partition.gap |= head;
                if (head && error == Errors.INVALID_PRODUCER_EPOCH) {
                    partition.epoch = Short.MAX_VALUE;
                }
                // A duplicate sequence number does not prove that the batch is in the log: the broker may have
                // forgotten the producer and accepted a later batch first.
                again(partition, batch, why, error == Errors.DUPLICATE_SEQUENCE_NUMBER);
            }
            case MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE -> {
                if (batch.count() > 1) {
                    partition.tooLarge(batch);
                } else {
                    String size = why + " It has " + batch.writer.sizeBytes() + " bytes.";
                    partition.refused(batch, size, error.exception(size));
                }
            }
            default -> {
                if (error.exception() instanceof RetriableException) {
                    again(partition, batch, why, error != Errors.NOT_ENOUGH_REPLICAS);
                    if (error.exception() instanceof InvalidMetadataException) {
                        located.hint(partition, answer.currentLeader());
                        metadata.doubt();
                    }
                } else {
                    batch.doubtful |= error == Errors.UNKNOWN_SERVER_ERROR;
                    batch.culprits = answer.recordErrors();
                    partition.refused(batch, why, error.exception(why));
                }
            }
        }
        settle(partition);
    }

    @Override
    public void lost(ProducerPartition partition, ProducerBatch batch, String why) {
        again(partition, batch, why, true);
        settle(partition);
    }

    @Override
    public void disconnected() {
        metadata.doubt();
    }

    private void again(ProducerPartition partition, ProducerBatch batch, String why, boolean perhapsWritten) {
        partition.failed(batch, why, perhapsWritten);
        counters.add(ProducerCounters.RESENT, 1);
    }

    /**
     * Reports known outcomes in order. If batches must be sent again and no response is outstanding, moves the batches
     * in flight back to the queue.
     */
    private void settle(ProducerPartition partition) {
        for (ProducerBatch batch = partition.takeSettled(); batch != null; batch = partition.takeSettled()) {
            endings.end(partition, batch);
        }
        if (!partition.troubled || partition.unanswered > 0) {
            return;
        }
        partition.rewind(nowNanos);
        if (partition.gap) {
            // The oldest batch may not be in the log: a broker that has forgotten the producer accepts later batches
            // without it. Restart the sequences.
            partition.gap = false;
            counters.add(ProducerCounters.EPOCHS, 1);
            id.renumber(partition);
        }
    }

    /**
     * Reports all remaining records as failed. Returns their number per partition. Takes the batches out one by one,
     * because there may be no memory for a queue to grow.
     */
    private UnwrittenRecords abandon(String why) {
        List<ProducerPartition> all = located.partitions();
        for (int i = 0; i < all.size(); i++) {
            ProducerPartition partition = all.get(i);
            for (ProducerBatch batch = partition.flying.poll(); batch != null; batch = partition.flying.poll()) {
                batch.doubtful |= batch.state == State.OPEN;
                giveUp(partition, batch, why);
            }
            for (ProducerBatch batch = partition.waiting.poll(); batch != null; batch = partition.waiting.poll()) {
                giveUp(partition, batch, why);
            }
            for (ProducerBatch batch = partition.intake.take(); batch != null; batch = partition.intake.take()) {
                giveUp(partition, batch, why);
            }
        }
        return new UnwrittenRecords(unwritten);
    }

    /** Ends a batch at the producer's end. Catches everything, so that the remaining records are reported too. */
    private void giveUp(ProducerPartition partition, ProducerBatch batch, String why) {
        try {
            if (batch.state != State.WRITTEN) {
                batch.state = State.REFUSED;
                batch.cause = failure;
                batch.trouble = batch.trouble.isEmpty() ? why : why + "; last: " + batch.trouble;
                TopicPartition place = new TopicPartition(partition.topic.name, partition.number);
                unwritten.merge(place, (long) batch.count(), Long::sum);
            }
        } catch (OutOfMemoryError e) {
            // The listener then gets a less detailed exception.
        }
        try {
            endings.end(partition, batch);
        } catch (Throwable e) {
            report(e);
        }
    }

    private static void report(Throwable thrown) {
        try {
            LOG.error(FailureText.of(thrown), thrown);
        } catch (OutOfMemoryError e) {
            // Continue without the message: the remaining records need an outcome.
        }
    }
}
