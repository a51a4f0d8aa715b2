package dev.weir.kafka.internal.producer;

import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.internal.producer.Answer.Kept;
import dev.weir.stream.Backoff;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageMeter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends what it pulls and acknowledges an input when the brokers have its record. {@link #run} is confined to the
 * segment's thread; answers come on the producer's own thread.
 *
 * <p>When the brokers refuse a record, its producer stops ({@link OrderedProducer}). Without rejects that fails the run. With
 * them another producer sends again what was not written, in order, with those alone that may be the reason; one that is
 * refused alone is rejected.
 */
final class ProducerLoop<T, K, V> implements SinkLoop<T> {

    private static final Logger LOG = LoggerFactory.getLogger(ProducerLoop.class);

    /** How long a failed or cancelled run waits for answers that are under way; they only spare repetition. */
    private static final Duration HASTY_CLOSE = Duration.ofSeconds(2);

    /** How often a producer that has stopped is looked for while answers are out. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How long the first record of a partition is waited for before another one follows. */
    private static final Duration FIRST_ANSWER = Duration.ofSeconds(2);

    private static final Backoff REOPEN = Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(10));

    private final Supplier<Producer<K, V>> producers;
    private final Function<? super T, ProducerRecord<K, V>> records;
    private final @Nullable Rejects<T> rejects;
    private final TopicWatch watch;
    private final StageContext context;
    private final StageMeter meter;
    private final int maxInFlight;

    private final LatencyCounts latency = new LatencyCounts();

    // Segment thread.
    private final FirstRecords<K> firsts;
    private final RefusedTopics refusedTopics = new RefusedTopics();
    private long ordinal;

    /** The client that sends; those before it have settled. */
    private volatile Producer<K, V> client;

    private volatile @Nullable OrderedProducer<K, V> current;

    /** Records that came back and are being sent again. */
    private volatile int again;

    private volatile boolean closing;

    /**
     * Creates one.
     *
     * @param producers makes the first producer now, and one more after each refusal if there are rejects
     * @param records what is written for an element
     * @param rejects takes elements that cannot be written; without it the first of them fails the run
     * @param maxInFlight see {@link OrderedProducer}
     */
    ProducerLoop(
            Supplier<Producer<K, V>> producers,
            StageContext context,
            Function<? super T, ProducerRecord<K, V>> records,
            @Nullable Rejects<T> rejects,
            FirstRecords<K> firsts,
            TopicWatch watch,
            int maxInFlight) {
        this.producers = producers;
        this.client = producers.get();
        this.context = context;
        this.records = records;
        this.rejects = rejects;
        this.firsts = firsts;
        this.watch = watch;
        this.maxInFlight = maxInFlight;
        this.meter = context.meter();
        context.depth(this::depth);
    }

    private int depth() {
        OrderedProducer<K, V> sending = current;
        return (int) Math.min(Integer.MAX_VALUE, again + (sending == null ? 0 : sending.unanswered()));
    }

    /** What others see of it. Any thread. */
    ProducerHandle handle() {
        return new ProducerHandle() {
            @Override
            public Snapshot snapshot() {
                return ProducerLook.at(client, context.stageName(), depth());
            }

            @Override
            public Latency latency() {
                return latency.snapshot();
            }
        };
    }

    @Override
    public void run(Stage<T> upstream) throws InterruptedException {
        try {
            OrderedProducer<K, V> sending = begin(client);
            Batch<T> batch;
            while ((batch = upstream.pull(deadline(sending))) != null) {
                long start = System.nanoTime();
                firsts.refresh(start);
                for (int i = 0; i < batch.size(); i++) {
                    sending = send(sending, batch.get(i), batch.target(i), batch.token(i));
                }
                meter.worked(batch.size(), 0, start);
                sending = settle(sending);
            }
            do {
                // Returns when all answers have come, however long brokers are away.
                sending.flush();
                sending = settle(sending);
            } while (!sending.isQuiet());
        } catch (InterruptException interrupted) {
            boolean ignored = Thread.interrupted();
            InterruptedException unwrapped = new InterruptedException();
            unwrapped.initCause(interrupted);
            throw unwrapped;
        }
    }

    private OrderedProducer<K, V> begin(Producer<K, V> with) {
        OrderedProducer<K, V> sending = new OrderedProducer<>(
                with, meter, latency, new OffsetOrder(watch::suspect), maxInFlight, this::settled);
        firsts.begin(with);
        current = sending;
        return sending;
    }

    /** The producer has stopped and no answer is missing. Any thread: the segment's may wait above for long. */
    private void settled() {
        OrderedProducer<K, V> sending = current;
        if (sending == null) {
            return;
        }
        OrderedProducer.Stop stop = sending.stop();
        if (stop != null && !closing && !isForRejects(stop)) {
            context.fail(sending.failure());
        }
    }

    private boolean isForRejects(OrderedProducer.Stop stop) {
        return rejects != null && (stop.isOfRecords() || rejects.takes(stop.refusal()));
    }

    /** While answers are out, one may say that a record cannot be written, which is not to wait for the next batch. */
    private long deadline(OrderedProducer<K, V> sending) {
        return rejects == null || sending.isQuiet()
                ? Stage.NEVER
                : context.clock().after(LOOK_NANOS);
    }

    /** Returns when nothing is left that came back or was rejected so far, with the producer that goes on. */
    private OrderedProducer<K, V> settle(OrderedProducer<K, V> sending) throws InterruptedException {
        OrderedProducer<K, V> goesOn = sending.stop() == null ? sending : replace(sending);
        if (rejects != null) {
            rejects.settle();
        }
        return goesOn;
    }

    private OrderedProducer<K, V> send(OrderedProducer<K, V> sending, T element, AckTarget target, long token)
            throws InterruptedException {
        ProducerRecord<K, V> record;
        try {
            record = records.apply(element);
        } catch (RuntimeException refused) {
            if (rejects == null) {
                throw refused;
            }
            rejects.add(element, refused, target, token);
            return sending;
        }
        Exception ofTopic = rejects == null ? null : refusedTopics.refusal(record.topic());
        if (rejects != null && ofTopic != null) {
            rejects.add(element, ofTopic, target, token);
            return sending;
        }
        Answer answer = rejects == null
                ? new Answer(record, target, token)
                : new Kept<>(element, record, ordinal++, target, token);
        OrderedProducer<K, V> taking = sending;
        while (!isTaken(taking, record, answer)) {
            taking = replace(taking);
        }
        return taking;
    }

    /** Returns false if the producer has stopped; the record was not sent then. One that is refused counts as taken. */
    private boolean isTaken(OrderedProducer<K, V> sending, ProducerRecord<K, V> record, Answer answer)
            throws InterruptedException {
        Future<?> before = firsts.before(record);
        if (before != null) {
            awaitFirst(before);
        }
        OrderedProducer.Sent sent = sending.send(record, answer);
        while (sent == OrderedProducer.Sent.NO_ROOM) {
            Exception vain = Objects.requireNonNull(answer.notTaken);
            if (rejects != null && rejects.takes(vain)) {
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

    /** A broker that is not quite ready for a topic that was just created can refuse the first batch and take the second. */
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

    /** Not for ever: one partition without a leader must not hold up the others. */
    private static void awaitFirst(Future<?> answer) throws InterruptedException {
        try {
            var ignored = answer.get(FIRST_ANSWER.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | java.util.concurrent.TimeoutException refusedOrLate) {
            // If it is refused, the producer has stopped.
        }
    }

    private boolean isAnswered(OrderedProducer<K, V> sending) {
        sending.flush();
        return sending.stop() == null;
    }

    /** The client gave up waiting for room or for metadata. With a topic that exists that passes; keep on. */
    private void waitedInVain(String topic, Answer answer) {
        Exception reason = Objects.requireNonNull(answer.notTaken);
        if (!firsts.isKnown(topic) && !watch.isKnown(topic)) {
            throw new ProduceException(topic, answer.place(), reason);
        }
        watch.suspect(topic);
        LOG.warn("brokers do not take records for {}, waiting on: {}", topic, reason.getMessage());
    }

    /** Nothing was sent behind it. */
    @SuppressWarnings("unchecked") // with rejects, each answer is of an element of this stream
    private void reject(Answer answer, Exception refusal) {
        if (rejects != null && answer instanceof Kept<?, ?, ?> kept && rejects.takes(refusal)) {
            refusedTopics.refused(answer.topic, refusal);
            rejects.add((T) kept.element, refusal, kept.target, kept.token);
            return;
        }
        ProduceException failure = new ProduceException(answer.topic, answer.place(), refusal);
        context.fail(failure);
        throw failure;
    }

    /** See {@link OrderedProducer#checkSplits}. One thread. */
    void checkSplits() {
        OrderedProducer<K, V> sending = current;
        if (sending != null && !closing) {
            sending.checkSplits();
        }
    }

    /** Sends again what came back from a producer that has stopped; returns the one that goes on. Fails without rejects. */
    private OrderedProducer<K, V> replace(OrderedProducer<K, V> stopped) throws InterruptedException {
        List<Kept<T, K, V>> left = cameBack(stopped);
        OrderedProducer.Stop stop = stopped.stop();
        OrderedProducer<K, V> sending = open();
        while (!left.isEmpty()) {
            again = left.size();
            int taken = sendAgain(sending, left, stop != null && stop.isOfSplits());
            stop = sending.stop();
            if (taken < left.size() || sending.stop() != null) {
                List<Kept<T, K, V>> rest = cameBack(sending);
                rest.addAll(left.subList(taken, left.size()));
                rest.sort(Comparator.comparingLong(kept -> kept.ordinal));
                left = rest;
                sending = open();
            } else {
                left = List.of();
            }
        }
        again = 0;
        return sending;
    }

    @SuppressWarnings("unchecked") // it sends nothing but what this loop gave it
    private List<Kept<T, K, V>> cameBack(OrderedProducer<K, V> stopped) {
        List<Kept<T, K, V>> all = new ArrayList<>();
        stopped.awaitSettled().forEach(kept -> all.add((Kept<T, K, V>) kept));
        OrderedProducer.Stop stop = stopped.stop();
        if (stop != null && !isForRejects(stop)) {
            throw stopped.failure();
        }
        if (stop != null) {
            LOG.warn(
                    "pipeline {}: {}; {} records are sent again, those alone that may be the reason",
                    context.pipelineName(),
                    stopped.failure().getMessage(),
                    all.size());
        }
        return all;
    }

    private OrderedProducer<K, V> open() throws InterruptedException {
        for (int failures = 1; ; failures++) {
            try {
                client = producers.get();
                return begin(client);
            } catch (InterruptException interrupted) {
                throw interrupted;
            } catch (KafkaException cannotOpen) {
                // The same configuration was good before: names of brokers are not resolved at the moment.
                LOG.warn("no new producer: {}", cannotOpen.toString());
                context.clock()
                        .sleepUntil(context.clock().after(REOPEN.after(failures).toNanos()));
            }
        }
    }

    /**
     * Sends these in order.
     *
     * @return how many were taken; all their answers have come, unless the producer has stopped
     */
    private int sendAgain(OrderedProducer<K, V> sending, List<Kept<T, K, V>> inOrder, boolean eachAlone)
            throws InterruptedException {
        // If nobody says which record it was, the first one is tried, so that each round settles one at least.
        boolean told = inOrder.stream().anyMatch(this::isSuspect);
        for (int i = 0; i < inOrder.size(); i++) {
            Kept<T, K, V> kept = inOrder.get(i);
            Exception ofTopic = rejects == null ? null : refusedTopics.refusal(kept.topic);
            if (rejects != null && ofTopic != null) {
                // Known already: trying would cost a producer for each.
                rejects.add(kept.element, ofTopic, kept.target, kept.token);
                again = inOrder.size() - i;
                continue;
            }
            if (eachAlone || isSuspect(kept) || (i == 0 && !told)) {
                if (!isAnswered(sending)) {
                    return i;
                }
                sendAlone(kept);
            } else if (!isTaken(sending, kept.record, kept)) {
                return i;
            }
            again = inOrder.size() - i;
        }
        sending.flush();
        return inOrder.size();
    }

    private boolean isSuspect(Kept<?, ?, ?> kept) {
        return kept.refusal != null && rejects != null && rejects.takes(kept.refusal);
    }

    /** Nothing else is on its way, so that a refusal is this record's own. */
    private void sendAlone(Kept<T, K, V> kept) throws InterruptedException {
        while (true) {
            try {
                Future<?> answer = client.send(kept.record);
                client.flush(); // it does not linger
                var ignored = answer.get();
                kept.target.ack(kept.token);
                meter.out(1);
                return;
            } catch (ExecutionException refused) {
                Exception cause = refused.getCause() instanceof Exception exception ? exception : refused;
                if (!(cause instanceof TimeoutException)) {
                    reject(kept, cause);
                    return;
                }
                LOG.warn("brokers do not take a record for {}, waiting on: {}", kept.topic, cause.getMessage());
            }
        }
    }

    /** See {@link StageContext.Termination}; the loop has ended, so nothing is sent any more. */
    String close(Duration patience) {
        closing = true;
        Duration atLeast = patience.compareTo(HASTY_CLOSE) < 0 ? HASTY_CLOSE : patience;
        OrderedProducer<K, V> sending = current;
        long left = again;
        if (sending == null) {
            client.close(atLeast);
        } else {
            left += sending.close(atLeast);
        }
        return left == 0 ? "" : left + " records sent without an answer";
    }
}
