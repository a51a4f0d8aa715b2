package dev.weir.kafka.internal.producer;

import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.produce.Message;
import dev.weir.kafka.produce.Produced;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the records of messages and hands on the results in the order of the messages. Confined to the segment's
 * thread; answers come on the producer's own.
 */
public final class ResultStage<K, V, P> implements Stage<Produced<P>> {

    private static final Logger LOG = LoggerFactory.getLogger(ResultStage.class);

    /** How long the stage above may be waited for while answers are out, which nobody else hands on. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Producer<K, V> client;
    private final int maxInHand;
    private final Stage<Message<K, V, P>> upstream;
    private final StageContext context;
    private final TopicWatch watch;
    private final @Nullable Rejects<ProducerRecord<K, V>> rejects;
    private final RefusedTopics refusedTopics = new RefusedTopics();
    private final AnswerSignal answered;

    /** Messages of which the result was not handed on, in order. */
    private final ArrayDeque<InHand<K, V, P>> window = new ArrayDeque<>();

    private Batch<Message<K, V, P>> input = new Batch<>(0);
    private int next;
    private boolean ended;
    private volatile int inHand;

    private ResultStage(
            Producer<K, V> client,
            ProducerSettings<K, V> settings,
            WriteFailures failures,
            int maxInHand,
            Stage<Message<K, V, P>> upstream,
            StageContext context) {
        this.client = client;
        this.maxInHand = maxInHand;
        this.upstream = upstream;
        this.context = context;
        this.watch = OutputTopics.create(settings.clientConfig(), context);
        this.rejects = Rejects.of(failures, context, new Unwritten<>(settings)::failed);
        this.answered = new AnswerSignal(context.clock());
        context.depth(() -> inHand);
    }

    /** Makes a stage with a producer that lives as long as the run. */
    public static <K, V, P> Stage<Produced<P>> create(
            ProducerSettings<K, V> settings,
            WriteFailures failures,
            int maxInHand,
            Stage<Message<K, V, P>> upstream,
            StageContext context) {
        Producers<K, V> producers = new Producers<>(settings);
        Producer<K, V> client = producers.get();
        context.onTermination(patience -> {
            // Whatever is on its way has no one to hear of it any more.
            client.close(Duration.ZERO);
            producers.close();
            return "";
        });
        return new ResultStage<>(client, settings, failures, maxInHand, upstream, context);
    }

    /** Makes a stage with a producer that somebody else opens and closes. */
    public static <K, V, P> Stage<Produced<P>> sharing(
            Producer<K, V> client,
            ProducerSettings<K, V> settings,
            WriteFailures failures,
            int maxInHand,
            Stage<Message<K, V, P>> upstream,
            StageContext context) {
        return new ResultStage<>(client, settings, failures, maxInHand, upstream, context);
    }

    @Override
    public @Nullable Batch<Produced<P>> pull(long deadlineNanos) throws InterruptedException {
        try {
            while (true) {
                Batch<Produced<P>> results = results();
                if (!results.isEmpty()) {
                    return results;
                }
                InHand<K, V, P> head = window.peek();
                if (next < input.size() && window.size() < maxInHand) {
                    sendNext();
                } else if (head != null && (ended || next < input.size())) {
                    answered.await(head, deadlineNanos);
                } else if (ended) {
                    return null;
                } else {
                    pullInput(head == null ? deadlineNanos : soon(deadlineNanos));
                }
                if (context.clock().hasPassed(deadlineNanos)) {
                    return results();
                }
            }
        } catch (InterruptException interrupted) {
            boolean ignored = Thread.interrupted();
            InterruptedException unwrapped = new InterruptedException();
            unwrapped.initCause(interrupted);
            throw unwrapped;
        }
    }

    private long soon(long deadlineNanos) {
        long soon = context.clock().after(LOOK_NANOS);
        return deadlineNanos == NEVER || deadlineNanos - soon > 0 ? soon : deadlineNanos;
    }

    private void pullInput(long deadlineNanos) throws InterruptedException {
        Batch<Message<K, V, P>> pulled = upstream.pull(deadlineNanos);
        if (pulled == null) {
            ended = true;
        } else {
            input.release();
            input = pulled;
            next = 0;
            context.meter().in(pulled.size());
        }
    }

    private void sendNext() {
        Message<K, V, P> message = input.get(next);
        InHand<K, V, P> sending = new InHand<>(message, input.target(next), input.token(next), answered);
        next++;
        window.add(sending);
        inHand = window.size();
        for (int i = 0; i < message.records().size(); i++) {
            send(message.records().get(i), sending.part(i));
        }
    }

    private void send(ProducerRecord<K, V> record, InHand<K, V, P>.Part part) {
        Exception ofTopic = rejects == null ? null : refusedTopics.refusal(record.topic());
        if (ofTopic != null) {
            part.refused(ofTopic);
            return;
        }
        while (true) {
            Exception notTaken = part.sendBy(client, record);
            if (notTaken == null) {
                return;
            }
            Exception meant = notTaken instanceof TimeoutException vain ? Refusals.ofVainWait(vain) : notTaken;
            if (!(notTaken instanceof TimeoutException)
                    || !watch.isKnown(record.topic())
                    || (rejects != null && rejects.takes(meant))) {
                refusedTopics.refused(record.topic(), meant);
                part.refused(meant);
                return;
            }
            watch.suspect(record.topic());
            LOG.warn("brokers do not take records for {}, waiting on: {}", record.topic(), notTaken.getMessage());
        }
    }

    /** The results that are next, as far as they have come. */
    private Batch<Produced<P>> results() throws InterruptedException {
        Batch<Produced<P>> results = new Batch<>(0);
        for (InHand<K, V, P> head = window.peek(); head != null && head.isAnswered(); head = window.peek()) {
            if (head.refusals() == 0) {
                Produced<P> produced = head.produced();
                produced.metadata().forEach(this::written);
                results.add(produced, head.target, head.token);
            } else {
                ProduceException failure = failureOf(head);
                if (failure != null && !results.isEmpty()) {
                    break; // those before it go on first
                }
                if (failure != null) {
                    throw failure;
                }
                reject(head);
            }
            window.remove();
        }
        inHand = window.size();
        if (rejects != null) {
            rejects.settle();
        }
        context.meter().out(results.size());
        return results;
    }

    private void written(RecordMetadata metadata) {
        if (!watch.isKnown(metadata.topic())) {
            watch.written(metadata.topic());
        }
    }

    /** The refusal that the rule is not for, if there is one. */
    private @Nullable ProduceException failureOf(InHand<K, V, P> refused) {
        for (int i = 0; i < refused.message.records().size(); i++) {
            Exception refusal = refused.refusal(i);
            if (refusal != null && (rejects == null || !rejects.takes(refusal))) {
                return new ProduceException(
                        refused.message.records().get(i).topic(), refused.target.placeOf(refused.token), refusal);
            }
        }
        return null;
    }

    /** Each refused record has a claim of its own on the input. */
    private void reject(InHand<K, V, P> refused) {
        if (refused.refusals() > 1) {
            refused.target.retain(refused.token, refused.refusals() - 1);
        }
        for (int i = 0; i < refused.message.records().size(); i++) {
            Exception refusal = refused.refusal(i);
            if (refusal != null && rejects != null) {
                rejects.add(refused.message.records().get(i), refusal, refused.target, refused.token);
            }
        }
    }

    @Override
    public void close() {
        window.forEach(left -> left.target.abandon(left.token));
        window.clear();
        input.abandonFrom(next);
        next = input.size();
        upstream.close();
    }
}
