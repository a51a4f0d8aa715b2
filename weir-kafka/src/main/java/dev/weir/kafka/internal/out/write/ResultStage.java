package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.out.client.ClientInterrupts;
import dev.weir.kafka.internal.out.client.ClientWatch;
import dev.weir.kafka.produce.Message;
import dev.weir.kafka.produce.Produced;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageMeter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Writes the records of messages, and emits the results in the order of the messages. Confined to the stage's thread;
 * outcomes are reported on the producer's own thread.
 */
public final class ResultStage<K, V, P> implements Stage<Produced<P>> {

    /** The longest wait for the upstream stage while records are outstanding. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final int maxInHand;
    private final Stage<Message<K, V, P>> upstream;
    private final StageContext context;
    private final WriteRule<ProducerRecord<K, V>> rule;
    private final AnswerSignal answered;
    private final OrderedWriter<MessageInFlight<?, ?, ?>.Part, K, V> writer;

    /** Messages whose results are not emitted yet, in order. */
    private final ArrayDeque<MessageInFlight<K, V, P>> window = new ArrayDeque<>();

    private Batch<Message<K, V, P>> input = new Batch<>(0);
    private int next;
    private boolean ended;

    /**
     * True if the upstream stage returned no elements before its deadline. This stage then returns to let other streams
     * use the thread.
     */
    private boolean yields;

    private volatile int inHand;

    /** True once the results of the whole input are emitted. Read by another thread after the end of the stage. */
    private volatile boolean drained;

    /** The failure that ends the run after all earlier results. */
    private @Nullable KafkaPipelineException failure;

    /** The message whose record could not be sent, if that caused {@link #failure}; otherwise null. */
    private @Nullable MessageInFlight<K, V, P> unsent;

    ResultStage(
            OrderedWriter.Clients<K, V> clients,
            ProducerSettings<K, V> settings,
            WriteRule<ProducerRecord<K, V>> rule,
            int maxInHand,
            Stage<Message<K, V, P>> upstream,
            StageContext context) {
        this.maxInHand = maxInHand;
        this.upstream = upstream;
        this.context = context;
        OutputTopics topics = OutputTopics.create(settings.clientConfig(), context);
        this.rule = rule;
        this.answered = new AnswerSignal(context.clock());
        this.writer = new OrderedWriter<>(
                clients,
                context,
                new StageMeter(), // not exposed: counts records, but the stage emits messages
                // Only stores the rejection. The rule is applied later, when the whole message is complete.
                rule.<MessageInFlight<?, ?, ?>.Part>handedTo(MessageInFlight.Part::answer),
                topics,
                0,
                answered::wake);
        context.depth(() -> inHand);
        ClientWatch.begin(settings.clientConfig(), clients.progress(), context, writer::look);
    }

    /** Creates a stage with a producer that is closed when the run ends. */
    public static <K, V, P> Stage<Produced<P>> create(
            ProducerSettings<K, V> settings,
            WriteFailures failures,
            int maxInHand,
            Stage<Message<K, V, P>> upstream,
            StageContext context) {
        RunProducers<K, V> producers = new RunProducers<>(settings);
        WriteRule<ProducerRecord<K, V>> rule = WriteRule.ofRecords(failures, context, settings);
        ResultStage<K, V, P> stage =
                new ResultStage<>(producers.clients(), settings, rule, maxInHand, upstream, context);
        context.exposeResource(stage.writer.handle());
        ProducerRunLog.follow(settings.produce(), context, () -> stage.drained, patience -> {
            // Close at once: nothing needs the outcomes of records in flight any more.
            String left = stage.writer.close(Duration.ZERO);
            producers.close();
            return left;
        });
        return stage;
    }

    /** Creates a stage with a producer that the caller opens and closes. */
    public static <K, V, P> Stage<Produced<P>> sharing(
            Producer<K, V> client,
            ProducerSettings<K, V> settings,
            WriteFailures failures,
            int maxInHand,
            Stage<Message<K, V, P>> upstream,
            StageContext context) {
        OrderedWriter.Clients<K, V> clients = new RunProducers<>(settings).sharing(client);
        WriteRule<ProducerRecord<K, V>> rule = WriteRule.ofRecords(failures, context, settings);
        ResultStage<K, V, P> stage = new ResultStage<>(clients, settings, rule, maxInHand, upstream, context);
        ProducerRunLog.follow(
                settings.produce(), context, () -> stage.drained, patience -> stage.writer.close(Duration.ZERO));
        return stage;
    }

    @Override
    public @Nullable Batch<Produced<P>> pull(long deadlineNanos) throws InterruptedException {
        try {
            while (true) {
                Batch<Produced<P>> results = results();
                if (!results.isEmpty()) {
                    return results;
                }
                if (failure != null && (unsent == null || unsent == window.peek())) {
                    throw failure;
                }
                advance(deadlineNanos);
                if (failure == null && ended && window.isEmpty() && next == input.size()) {
                    drained = true;
                    return null;
                }
                if (yields || context.clock().hasPassed(deadlineNanos)) {
                    return results();
                }
            }
        } catch (InterruptException interrupted) {
            throw ClientInterrupts.unwrapped(interrupted);
        }
    }

    private void advance(long deadlineNanos) throws InterruptedException {
        MessageInFlight<K, V, P> head = window.peek();
        yields = false;
        try {
            if (writer.isStopped()) {
                writer.settle();
            } else if (failure != null && head != null) {
                answered.await(head, deadlineNanos);
            } else if (next < input.size() && window.size() < maxInHand) {
                sendNext();
            } else if (head != null && (ended || next < input.size())) {
                answered.await(head, deadlineNanos);
            } else if (!ended) {
                pullInput(head == null ? deadlineNanos : soon(deadlineNanos));
            }
        } catch (KafkaPipelineException refused) {
            failure = refused;
            unsent = null;
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
            yields = pulled.isEmpty() && !context.clock().hasPassed(deadlineNanos);
            writer.refresh(System.nanoTime());
            context.meter().in(pulled.size());
        }
    }

    private void sendNext() throws InterruptedException {
        Message<K, V, P> message = input.get(next);
        MessageInFlight<K, V, P> sending =
                new MessageInFlight<>(message, input.target(next), input.token(next), answered);
        next++;
        window.add(sending);
        inHand = window.size();
        for (int i = 0; i < message.records().size(); i++) {
            var part = sending.sending(i, writer.nextOrdinal());
            try {
                writer.send(message.records().get(i), part);
            } catch (KafkaPipelineException refused) {
                if (part.notTaken == null) {
                    throw refused;
                }
                failure = refused;
                unsent = sending;
                return;
            }
        }
    }

    /** Returns the next complete results in order. Then handles a rejected message, which may throw. */
    private Batch<Produced<P>> results() throws InterruptedException {
        Batch<Produced<P>> results = new Batch<>(0);
        for (MessageInFlight<K, V, P> head = window.peek(); head != null && head.isAnswered(); head = window.peek()) {
            if (head.refusals() == 0) {
                settleBefore(results);
                results.add(head.produced(), head.target, head.token);
            } else if (results.isEmpty()) {
                ProduceException ofHead = failureOf(head);
                if (ofHead != null) {
                    throw ofHead;
                }
                reject(head);
            } else {
                break;
            }
            window.remove();
        }
        inHand = window.size();
        settleBefore(results);
        context.meter().out(results.size());
        return results;
    }

    private void settleBefore(Batch<Produced<P>> results) throws InterruptedException {
        if (results.isEmpty()) {
            rule.settle();
        }
    }

    /** Returns the failure for the first rejected record that the rule for failed writes does not cover, or null. */
    private @Nullable ProduceException failureOf(MessageInFlight<K, V, P> refused) {
        for (int i = 0; i < refused.message.records().size(); i++) {
            Exception refusal = refused.refusal(i);
            if (refusal != null && !rule.takes(refusal)) {
                return new ProduceException(
                        refused.message.records().get(i).topic(), refused.target.placeOf(refused.token), refusal);
            }
        }
        return null;
    }

    /** Passes the rejected records to the rule for failed writes. Each has its own acknowledgement of the input. */
    private void reject(MessageInFlight<K, V, P> refused) {
        if (refused.refusals() > 1) {
            refused.target.retain(refused.token, refused.refusals() - 1);
        }
        for (int i = 0; i < refused.message.records().size(); i++) {
            Exception refusal = refused.refusal(i);
            if (refusal != null) {
                rule.add(refused.message.records().get(i), refusal, refused.target, refused.token);
            }
        }
    }

    @Override
    public void close() {
        Batch<Message<K, V, P>> left = new Batch<>(window.size() + input.size() - next);
        window.forEach(sent -> left.add(sent.message, sent.target, sent.token));
        window.clear();
        for (; next < input.size(); next++) {
            left.add(input.get(next), input.target(next), input.token(next));
        }
        try {
            left.abandonAll();
        } finally {
            upstream.close();
        }
    }
}
