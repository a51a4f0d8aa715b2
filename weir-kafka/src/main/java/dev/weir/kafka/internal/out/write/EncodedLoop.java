package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.internal.in.view.EncodedElement;
import dev.weir.kafka.internal.meters.LatencyCounts;
import dev.weir.kafka.internal.meters.ProducerLook;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.client.ClientProgress.StuckException;
import dev.weir.kafka.internal.out.client.LeanMeters;
import dev.weir.kafka.internal.out.client.LeanProducerConfig;
import dev.weir.kafka.internal.out.client.ProduceFaults;
import dev.weir.kafka.internal.out.client.WriteLoop;
import dev.weir.kafka.view.EncodedRecords;
import dev.weir.lean.LeanException;
import dev.weir.lean.LeanProducer;
import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.LeanRecords;
import dev.weir.lean.SendException;
import dev.weir.lean.SendListener;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends encoded records with a lean producer, and acknowledges an element when the brokers have all its records.
 * {@link #run} is confined to the stage's thread; outcomes are reported on the producer's own thread.
 *
 * <p>The first rejection fails the run. Its callback aborts the producer, which then writes no later record of the
 * partition (ADR 60).
 */
final class EncodedLoop extends WriteLoop<EncodedRecords> {

    private static final Logger LOG = LoggerFactory.getLogger(EncodedLoop.class);

    private static final Duration FOREVER = Duration.ofDays(36_500);

    private final StageContext context;
    private final TopicWatch watch;
    private final LeanProducer producer;
    private final ProducerLook look;
    private final LongAdder blockedNanos = new LongAdder();
    final ElementsInFlight elements = new ElementsInFlight();

    /** Confined to the producer's thread. */
    final SendListener answers = new Answers();

    /** The first rejection. Written by the producer's thread. */
    private volatile @Nullable KafkaPipelineException failure;

    private volatile boolean closing;

    private final Set<String> topics = ConcurrentHashMap.newKeySet();

    /** The topic to which the last record was sent. Confined to the stage's thread. */
    private String lastTopic = "";

    /** Confined to the monitoring thread. */
    private final ClientProgress progress;

    /** Creates a loop, and opens its producer. */
    EncodedLoop(Map<String, Object> clientConfig, ClientProgress progress, StageContext context, TopicWatch watch) {
        super(context.meter());
        LeanProducerSettings settings = LeanProducerConfig.of(clientConfig);
        this.context = context;
        this.watch = watch;
        this.progress = progress;
        this.producer = LeanProducer.open(settings, answers);
        LeanMeters meters = new LeanMeters(producer::metrics, settings.bufferBytes(), blockedNanos);
        this.look = ProducerLook.of(meters::read);
        context.depth(elements::count);
    }

    @Override
    protected void send(Batch<EncodedRecords> batch) throws InterruptedException {
        for (int i = 0; i < batch.size(); i++) {
            send((EncodedElement) batch.get(i), batch.target(i), batch.token(i));
        }
        batch.release();
    }

    @Override
    protected void finish() throws InterruptedException {
        try {
            var ignored = producer.flush(FOREVER);
        } catch (LeanException ended) {
            throw because(new KafkaPipelineException(Thrown.reason(ended), ProduceFaults.asOfClient(ended)));
        }
        KafkaPipelineException refused = failure;
        if (refused != null) {
            throw refused;
        }
    }

    private void send(EncodedElement element, AckTarget target, long token) throws InterruptedException {
        LeanRecords records = element.records();
        int count = records.count();
        if (count == 0) {
            target.ack(token);
            context.meter().out(1);
        } else {
            send(records, count, elements.add(target, token, count), target, token);
        }
        element.release();
    }

    private void send(LeanRecords records, int count, int way, AckTarget target, long token)
            throws InterruptedException {
        int at = 0;
        try {
            while (at < count) {
                // One topic at a time, so that a failure names the topic of its record.
                int end = endOfTopic(records, at, count);
                at = producer.trySend(records, at, end, way);
                if (at < end) {
                    sendWhenThereIsRoom(records, at, way);
                    at++;
                }
            }
        } catch (LeanException | IllegalStateException fault) {
            throw because(
                    fault instanceof LeanException lean
                            ? new ProduceException(
                                    records.topic(at), target.placeOf(token), ProduceFaults.asOfClient(lean))
                            : fault);
        }
    }

    /** Notes the topic of a record. Returns the index after the last record in a row for the same topic. */
    private int endOfTopic(LeanRecords records, int from, int count) {
        String topic = records.topic(from);
        if (!topic.equals(lastTopic)) {
            lastTopic = topic;
            topics.add(topic);
        }
        int end = from + 1;
        while (end < count && records.topic(end).equals(topic)) {
            end++;
        }
        return end;
    }

    /** Fails the run if the client is stuck. Must be called by one thread, several times a second. */
    void look(long nowNanos) {
        StuckException stuck =
                closing || failure != null ? null : progress.look(elements.oldestNanos(nowNanos), topics, nowNanos);
        if (stuck != null) {
            KafkaPipelineException broken = new KafkaPipelineException(Thrown.reason(stuck), stuck);
            failure = broken;
            context.fail(broken);
            producer.abort();
        }
    }

    /** Sends a record. Waits without a limit while the buffer is full, for example because brokers are down. */
    private void sendWhenThereIsRoom(LeanRecords records, int number, int way) throws InterruptedException {
        long start = System.nanoTime();
        try {
            while (true) {
                try {
                    producer.send(records, number, number + 1, way);
                    return;
                } catch (LeanException full) {
                    if (!(full.getCause() instanceof BufferExhaustedException)) {
                        throw full;
                    }
                }
            }
        } finally {
            blockedNanos.add(System.nanoTime() - start);
        }
    }

    private RuntimeException because(RuntimeException fault) {
        KafkaPipelineException refused = failure;
        return refused == null ? fault : refused;
    }

    private final class Answers implements SendListener {

        private String lastTopic = "";

        /** Partitions with a rejected record. The next run writes their later records again, after the rejected one. */
        private final Set<TopicPartition> refused = new HashSet<>();

        @Override
        public void acknowledged(long way, String topic, int partition, long offset) {
            if (!refused.isEmpty() && refused.contains(new TopicPartition(topic, partition))) {
                return;
            }
            if (!topic.equals(lastTopic)) {
                lastTopic = topic;
                if (!watch.isKnown(topic)) {
                    watch.written(topic);
                }
            }
            if (elements.answered((int) way)) {
                context.meter().out(1);
            }
        }

        @Override
        public void failed(long way, SendException why) {
            refused.add(new TopicPartition(why.topic(), why.partition()));
            if (failure == null && !closing) {
                failure = new ProduceException(why.topic(), elements.placeOf((int) way), ProduceFaults.asOfClient(why));
                producer.abort();
                watch.suspect(why.topic());
                context.fail(failure);
            }
        }
    }

    /** Returns the handle for users, which reports no latencies. May be called from any thread. */
    ProducerHandle handle() {
        return new WriterHandle(new LatencyCounts(), () -> look.at(context.stageName(), elements.unanswered()));
    }

    /** Closes the producer; see {@link StageContext.Termination}. Called after the loop. */
    String close(Duration patience) {
        closing = true;
        try {
            var ignored = producer.close(patience);
        } catch (LeanException hangs) {
            LOG.warn("a producer is abandoned: {}", Thrown.reason(hangs));
        }
        long left = elements.unanswered();
        return left == 0 ? "" : left + " records sent without an answer";
    }
}
