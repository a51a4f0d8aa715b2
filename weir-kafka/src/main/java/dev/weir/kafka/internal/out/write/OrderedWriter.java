package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.internal.meters.LatencyCounts;
import dev.weir.kafka.internal.meters.WrittenCount;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.client.RecordRefusals;
import dev.weir.kafka.internal.out.client.RefusalSearch;
import dev.weir.kafka.internal.out.client.ReplaceableProducer;
import dev.weir.kafka.internal.out.write.RecordAnswer.Kept;
import dev.weir.stream.Backoff;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageMeter;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends records in order, and resends unwritten records after a rejection. Confined to the stage's thread, except for
 * {@link #handle}, {@link #look} and {@link #close}. Outcomes are reported on the producer's own thread.
 *
 * <p>A rejection stops the producer ({@link OrderedProducer}). Without a rule for rejected records, the run fails.
 * Otherwise, another producer resends the unwritten records in order, and sends each suspect alone
 * ({@link RefusalSearch}). A record that is rejected when it is sent alone is passed to the {@link WriteRule}.
 *
 * <p>A shared producer stays open and resends the records itself. It also resends written records that followed the
 * rejected one in its partition.
 */
final class OrderedWriter<T, K, V> {

    private static final Logger LOG = LoggerFactory.getLogger(OrderedWriter.class);

    /** The longest wait for the first record of a partition. */
    private static final Duration FIRST_ANSWER = Duration.ofSeconds(2);

    private static final Backoff REOPEN = Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(10));

    /**
     * Opens, limits, and monitors the clients of a writer.
     *
     * @param open opens the first producer and each replacement
     * @param window limits the records in flight of a producer that is not shared
     * @param progress detects a stuck client
     * @param shared whether {@code open} returns the same producer to all writers, which do not close it
     */
    record Clients<K, V>(
            Supplier<Producer<K, V>> open,
            FirstRecords<K> firsts,
            SendWindow window,
            ClientProgress progress,
            boolean shared) {}

    private final Clients<K, V> clients;
    private final WriteRule<T> rule;
    private final TopicWatch watch;
    private final StageContext context;
    private final WrittenCount written = new WrittenCount();
    private final int maxInFlight;
    private final Runnable onSettled;

    private final LatencyCounts latency = new LatencyCounts();

    // Confined to the stage's thread
    private final FirstRecords<K> firsts;
    private final SendWindow window;
    private final RefusalSearch<Kept<T, K, V>> search = new RefusalSearch<>();
    private long ordinal;

    /** Opens the clients. All records of earlier clients are complete. {@link OrderedProducer} closes the clients. */
    private final ReplaceableProducer<K, V> producer;

    private volatile OrderedProducer<K, V> current;

    /** The number of unwritten records that are still to be sent again. */
    private volatile int again;

    private volatile boolean closing;

    /**
     * Opens the first producer.
     *
     * @param meter counts written records as emitted
     * @param rule handles elements that cannot be written
     * @param maxInFlight see {@link OrderedProducer}
     * @param onSettled called by any thread when a record was rejected and all outcomes are known, perhaps several
     *     times; must not block. {@link #failure} or {@link #settle} must then be called
     */
    OrderedWriter(
            Clients<K, V> clients,
            StageContext context,
            StageMeter meter,
            WriteRule<T> rule,
            TopicWatch watch,
            int maxInFlight,
            Runnable onSettled) {
        this.clients = clients;
        this.context = context;
        meter.countsOut(written);
        this.rule = rule;
        this.firsts = clients.firsts();
        this.window = clients.window();
        this.watch = watch;
        this.maxInFlight = maxInFlight;
        this.onSettled = onSettled;
        this.producer = new ReplaceableProducer<>(clients.open(), clients.shared(), ClientProgress.NONE);
        int ignored = producer.open();
        Producer<K, V> client = client();
        this.current = begin(client);
        firsts.begin(client);
        window.begin(client);
    }

    private Producer<K, V> client() {
        return Objects.requireNonNull(producer.client());
    }

    /** Returns the number of records in flight or being sent again. May be called from any thread. */
    int depth() {
        return (int) Math.min(Integer.MAX_VALUE, again + current.unanswered());
    }

    /** Returns the handle for users. May be called from any thread. */
    ProducerHandle handle() {
        return new WriterHandle(
                latency,
                () -> Objects.requireNonNull(producer.meters()).at(context.stageName(), depth(), window.waitedNanos()));
    }

    private OrderedProducer<K, V> begin(Producer<K, V> with) {
        return new OrderedProducer<>(
                with,
                clients.shared(),
                written,
                latency,
                new OffsetOrder(watch::suspect),
                maxInFlight,
                clients.progress(),
                onSettled);
    }

    /** Returns the failure that ends the run, if any; null while outcomes are outstanding. Any thread may call this. */
    @Nullable
    KafkaPipelineException failure() {
        OrderedProducer<K, V> sending = current;
        OrderedProducer.Stop stop = sending.stop();
        return stop == null || closing || isPassing(stop) || sending.unanswered() > 0 ? null : sending.failure();
    }

    /** Returns whether the run continues after the stop. */
    private boolean isPassing(OrderedProducer.Stop stop) {
        // The rejected record may belong to another pipeline that uses the same producer.
        boolean ofOthers = clients.shared() && RecordRefusals.isOfNeighbour(stop.refusal());
        return ofOthers
                || (!rule.isFail() && (stop.isOfRecords() || stop.isOfProgress() || rule.takes(stop.refusal())));
    }

    boolean isQuiet() {
        return current.isQuiet();
    }

    /** Returns whether {@link #settle} has records to send again or a failure to throw. */
    boolean isStopped() {
        return current.stop() != null;
    }

    /** Updates the numbers of partitions if that is due. Called before a batch is sent. */
    void refresh(long nowNanos) {
        if (firsts.refresh(nowNanos)) {
            window.partitions(firsts.partitionsByBroker());
        }
    }

    /** Waits until the client has room for another batch. Called after each batch. */
    void awaitWindow() throws InterruptedException {
        if (window.isFullWith(current.lastSent())) {
            window.await();
        }
    }

    long nextOrdinal() {
        return ordinal++;
    }

    /**
     * Sends unwritten records again, and waits until the rule for failed writes has handled all rejected ones.
     *
     * @throws KafkaPipelineException if the brokers reject a record that no rule covers
     */
    void settle() throws InterruptedException {
        if (isStopped()) {
            replace();
        }
        rule.settle();
    }

    /** Waits without a limit until all records are written or handled by the rule for failed writes. */
    void finish() throws InterruptedException {
        do {
            current.flush();
            settle();
        } while (!isQuiet());
    }

    /**
     * Sends a record after all earlier ones.
     *
     * @param answer a {@link Kept} if there is a rule for rejected records, or if the producer is shared
     */
    @SuppressWarnings("unchecked") // the writer receives only elements of type T
    void send(ProducerRecord<K, V> record, RecordAnswer answer) throws InterruptedException {
        Exception ofTopic = rule.refusalOf(record.topic());
        if (ofTopic != null && answer instanceof Kept<?, ?, ?> kept) {
            rule.add((T) kept.element, ofTopic, kept.target, kept.token);
            return;
        }
        while (!isTaken(current, record, answer)) {
            replace();
        }
    }

    /**
     * Sends a record. Returns false if the producer has stopped. A record passed to the {@code rule} counts as sent.
     */
    private boolean isTaken(OrderedProducer<K, V> sending, ProducerRecord<K, V> record, RecordAnswer answer)
            throws InterruptedException {
        Future<?> before = firsts.before(record);
        if (before != null) {
            awaitFirst(before);
        }
        OrderedProducer.Sent sent = sending.send(record, answer);
        while (sent == OrderedProducer.Sent.NO_ROOM) {
            Exception vain = Objects.requireNonNull(answer.notTaken);
            if (rule.takes(vain)) {
                reject(answer, vain);
                return true;
            }
            waitedInVain(record.topic(), answer);
            sent = sending.send(record, answer);
        }
        if (sent == OrderedProducer.Sent.REFUSED) {
            reject(answer, Objects.requireNonNull(answer.notTaken));
        } else if (sent == OrderedProducer.Sent.TAKEN) {
            firsts.sent(sending.lastSent());
            if (!firsts.isKnown(record.topic())) {
                awaitFirstOfTopic(sending, record);
            }
        }
        return sent != OrderedProducer.Sent.STOPPED;
    }

    /**
     * Waits for the first record of a topic. A broker may reject a new topic's first batch and accept the second one.
     */
    private void awaitFirstOfTopic(OrderedProducer<K, V> sending, ProducerRecord<K, V> record)
            throws InterruptedException {
        if (watch.isKnown(record.topic())) {
            awaitFirst(sending.lastSent());
        } else {
            sending.flush();
        }
        if (sending.stop() == null) {
            firsts.answered(record);
            watch.written(record.topic());
        }
    }

    /** Waits for the first record of a partition, for a limited time, because the partition may have no leader. */
    private static void awaitFirst(Future<?> answer) throws InterruptedException {
        try {
            var ignored = answer.get(FIRST_ANSWER.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | java.util.concurrent.TimeoutException refusedOrLate) {
            // A rejection has stopped the producer, and the caller handles that.
        }
    }

    /**
     * Handles a timeout of a send that waited for memory or metadata. Throws if the topic may not exist; otherwise the
     * caller sends again.
     */
    private void waitedInVain(String topic, RecordAnswer answer) {
        Exception reason = Objects.requireNonNull(answer.notTaken);
        if (!isExisting(topic)) {
            throw new ProduceException(topic, answer.place(), reason);
        }
        watch.suspect(topic);
        LOG.warn("brokers do not accept records for {}, still waiting: {}", topic, Thrown.reason(reason));
    }

    /** Returns whether this run has written to the topic. If so, the brokers' failure to find it may be temporary. */
    private boolean isExisting(String topic) {
        return firsts.isKnown(topic) || watch.isKnown(topic);
    }

    /** Handles the rejection of the last sent record. */
    @SuppressWarnings("unchecked") // the writer receives only elements of type T
    private void reject(RecordAnswer answer, Exception refusal) {
        if (answer instanceof Kept<?, ?, ?> kept && rule.takes(refusal)) {
            rule.note(answer.topic, refusal);
            rule.add((T) kept.element, refusal, kept.target, kept.token);
            return;
        }
        throw new ProduceException(answer.topic, answer.place(), refusal);
    }

    /** Fails the run if its client can no longer complete records. Called by the monitoring thread. */
    void look(long nowNanos) {
        KafkaPipelineException broken = closing ? null : current.look(nowNanos);
        if (broken != null) {
            context.fail(broken);
        }
    }

    /** Replaces a stopped producer, and sends its unwritten records again. */
    private void replace() throws InterruptedException {
        OrderedProducer.Stop stop = current.stop();
        List<Kept<T, K, V>> left = cameBack(current);
        OrderedProducer<K, V> sending = open();
        while (!left.isEmpty()) {
            again = left.size();
            suspect(left, stop);
            int taken = search.resend(left, new Behind(sending));
            stop = sending.stop();
            if (taken < left.size() || stop != null) {
                List<Kept<T, K, V>> rest = cameBack(sending);
                rest.addAll(left.subList(taken, left.size()));
                rest.sort(Comparator.comparingLong(kept -> kept.ordinal));
                left = rest;
                sending = open();
            } else {
                left = List.of();
            }
        }
    }

    @SuppressWarnings("unchecked") // this OrderedProducer sends only records from this writer
    private List<Kept<T, K, V>> cameBack(OrderedProducer<K, V> stopped) {
        List<Kept<T, K, V>> all = new ArrayList<>();
        stopped.awaitSettled().forEach(kept -> all.add((Kept<T, K, V>) kept));
        OrderedProducer.Stop stop = stopped.stop();
        if (stop != null && !isPassing(stop)) {
            throw stopped.failure();
        }
        if (stop != null) {
            LOG.warn(
                    "pipeline {}: {}; {} records are sent again{}",
                    context.pipelineName(),
                    Thrown.reason(stopped.failure()),
                    all.size(),
                    stop.isOfProgress() ? " by another producer" : ", those alone that may be the reason");
        }
        return all;
    }

    private OrderedProducer<K, V> open() throws InterruptedException {
        Producer<K, V> client = producer.replace((cannotOpen, refusals) -> {
            // Broker names probably cannot be resolved at present: the configuration has worked before.
            LOG.warn("no new producer: {}", cannotOpen.toString());
            pause(refusals);
        });
        current = begin(client);
        if (!clients.shared()) {
            firsts.begin(client); // the brokers do not know the new client yet
            window.begin(client);
        }
        return current;
    }

    private void pause(int failures) throws InterruptedException {
        Clock clock = context.clock();
        clock.sleepUntil(clock.after(REOPEN.after(failures, clock.nanoTime()).toNanos()));
    }

    /** Marks the records that may have caused the stop as suspects. */
    private void suspect(List<Kept<T, K, V>> inOrder, OrderedProducer.@Nullable Stop stop) {
        boolean isAnySuspect = false;
        for (Kept<T, K, V> kept : inOrder) {
            if (kept.refusal != null && rule.takes(kept.refusal)) {
                var ignored = search.suspect(kept, kept.refusal);
            }
            isAnySuspect |= search.isSuspect(kept);
        }
        if (stop != null && stop.isOfSplits()) {
            inOrder.forEach(kept -> search.suspect(kept, stop.refusal()));
        } else if (stop != null && !stop.isOfProgress() && !isAnySuspect) {
            var ignored = search.suspect(inOrder.getFirst(), stop.refusal());
        }
    }

    /** Sends records with one producer, after all its earlier records. */
    private final class Behind implements RefusalSearch.Way<Kept<T, K, V>> {

        private final OrderedProducer<K, V> sending;

        Behind(OrderedProducer<K, V> sending) {
            this.sending = sending;
        }

        @Override
        public boolean send(Kept<T, K, V> kept) throws InterruptedException {
            return isKnown(kept) || isTaken(sending, kept.record, kept);
        }

        @Override
        public boolean settle() {
            sending.flush();
            return sending.stop() == null;
        }

        @Override
        public void sendAlone(Kept<T, K, V> kept) throws InterruptedException {
            if (!isKnown(kept)) {
                OrderedWriter.this.sendAlone(kept);
            }
        }

        /** Passes a record to the rule for failed writes if its topic was rejected recently. Returns whether it did. */
        @SuppressWarnings("NonAtomicVolatileUpdate") // single writer
        private boolean isKnown(Kept<T, K, V> kept) {
            again--;
            Exception ofTopic = rule.refusalOf(kept.topic);
            if (ofTopic != null) {
                rule.add(kept.element, ofTopic, kept.target, kept.token);
            }
            return ofTopic != null;
        }
    }

    /** Sends a record while no other record of this pipeline is in flight. */
    private void sendAlone(Kept<T, K, V> kept) throws InterruptedException {
        for (int refusals = 1; ; refusals++) {
            RecordMetadata metadata;
            try {
                metadata = current.sendAlone(kept);
            } catch (ExecutionException refused) {
                Exception cause = refused.getCause() instanceof Exception exception ? exception : refused;
                boolean ofOthers = clients.shared() && RecordRefusals.isOfNeighbour(cause);
                boolean isVain = false;
                if (cause instanceof TimeoutException waited) {
                    cause = RecordRefusals.ofVainWait(waited);
                    isVain = cause == waited || (isExisting(kept.topic) && !rule.takes(cause));
                }
                if (!isVain && !ofOthers) {
                    reject(kept, cause);
                    return;
                }
                watch.suspect(kept.topic);
                LOG.warn("brokers do not accept a record for {}, still waiting: {}", kept.topic, Thrown.reason(cause));
                pause(refusals);
                continue;
            } catch (InterruptException interrupted) {
                throw interrupted;
            } catch (RuntimeException closedBrokenOrNotSerializable) {
                reject(kept, closedBrokenOrNotSerializable);
                return;
            }
            if (metadata != null) {
                kept.written(metadata);
                written.increment();
            }
            return;
        }
    }

    /** Closes the producer; see {@link StageContext.Termination}. Called after the loop. */
    String close(Duration patience) {
        closing = true;
        long left = again + current.close(patience);
        return left == 0 ? "" : left + " records sent without an answer";
    }
}
