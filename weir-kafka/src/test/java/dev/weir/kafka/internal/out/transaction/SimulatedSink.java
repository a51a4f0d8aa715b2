package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.in.commit.TransactionGate;
import dev.weir.kafka.internal.out.write.TopicWatch;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The real parts of an exactly-once flow between operators and clients, on simulated threads. Confined to the
 * simulation's thread.
 */
public final class SimulatedSink {

    private static final int MAX_BATCH = 8;

    /** Turns that the committing thread gets to end. */
    private static final int LAST_TURNS = 200;

    private static final TopicWatch ALL_KNOWN = new TopicWatch() {
        @Override
        public void written(String topic) {}

        @Override
        public void suspect(String topic) {}

        @Override
        public boolean isKnown(String topic) {
            return true;
        }
    };

    private static final ProducerSettings<byte[], byte[]> NO_SETTINGS =
            ProducerSettings.builder().bootstrapServers("simulated:1").build();

    /** A transition and the state before it. */
    private record Step(TransactionState from, TransactionState.Transition by) {}

    private final Turns turns;
    private final Runnable lastActs;
    private final Set<Step> transitions = new HashSet<>();
    private final TransactionsOfRun<byte[], byte[]> run;
    private final TransactionCommitter<byte[], byte[]> committer;
    private final ConsumerTransactions<byte[], byte[]> transactions;
    private final Turns.Strand segment;
    private final Tasks tasks;
    private Batch<ProducerRecord<byte[], byte[]>> next = new Batch<>(MAX_BATCH);
    private boolean inputEnded;

    /**
     * Connects the parts as a run does.
     *
     * @param isBounded whether the source has an end
     * @param skips whether records that cannot be written are skipped
     * @param clients creates a producer for a transactional id
     * @param fence called to end open transactions of earlier runs
     * @param lastActs lets brokers answer while the run waits for the end of the committing thread
     */
    public SimulatedSink(
            Turns turns,
            StageContext context,
            TransactionPlan plan,
            boolean isBounded,
            boolean skips,
            Function<String, Producer<byte[], byte[]>> clients,
            Runnable fence,
            Runnable lastActs) {
        this.turns = turns;
        this.lastActs = lastActs;
        this.tasks = new Tasks();
        this.run = new TransactionsOfRun<>(turns, turns, isBounded);
        run.onTransition = (from, by) -> transitions.add(new Step(from, by));
        TransactionCounts counts = new TransactionCounts();
        this.committer = new TransactionCommitter<>(
                run, context, counts, null, number -> clients.apply(plan.transactionalId(number)), tasks);
        run.rule = TransactionRule.of(
                skips ? WriteFailures.skip() : WriteFailures.fail(), context, NO_SETTINGS, committer.trial());
        this.transactions = new ConsumerTransactions<>(run, committer, plan, context, fence);
        TransactionalLoop<byte[], byte[]> loop =
                new TransactionalLoop<>(run, committer, counts, plan, ALL_KNOWN, context);
        this.segment = turns.strand("segment", () -> loop.run(new Offered()));
        committer.start();
    }

    /** Returns the transactions of the consumer's commits. */
    public TransactionGate gate() {
        return transactions;
    }

    /** Returns all state transitions so far, each with the state before it. */
    public Set<String> transitions() {
        return transitions.stream().map(Step::toString).collect(Collectors.toSet());
    }

    /** Returns all legal transitions, in the form of {@link #transitions}. */
    public static Set<String> legalTransitions() {
        return Arrays.stream(TransactionState.values())
                .flatMap(from -> Arrays.stream(TransactionState.Transition.values())
                        .filter(from::allows)
                        .map(by -> new Step(from, by).toString()))
                .collect(Collectors.toSet());
    }

    public boolean isIntakeHeld() {
        return run.isIntakeHeld();
    }

    /** Registers a source. Call it before the source emits elements. */
    public void emits(AckTarget source) {
        run.emits(source);
    }

    /** Offers an element. The sink pulls it in a later step. */
    public void offer(ProducerRecord<byte[], byte[]> record, AckTarget target, long token) {
        next.add(record, target, token);
    }

    /** Returns whether the next batch is full, so that the upstream operator must wait. */
    public boolean isFull() {
        return next.size() >= MAX_BATCH;
    }

    /** Ends the input. */
    public void endInput() {
        inputEnded = true;
    }

    /** Lets the simulated writing thread run until it waits. */
    public void stepSegment() {
        segment.run();
    }

    /** Lets the simulated committing thread run until it waits. */
    public void stepCommitter() {
        tasks.strand.run();
    }

    /** Returns whether the input has ended and all offered elements are written. */
    public boolean isThrough() {
        return segment.isDone();
    }

    /** Returns the failure of the writing thread, or null. */
    public @Nullable Throwable failure() {
        return segment.failure();
    }

    /** Cancels the pipeline. Elements that the sink has not pulled stay unfinished. */
    public void cancel() {
        next.abandonAll();
        next = new Batch<>(MAX_BATCH);
        segment.interrupt();
        segment.run();
        segment.end();
    }

    /** Closes the sink, as a run does after closing its consumer. */
    public void close() {
        segment.end();
        committer.close();
        kill();
    }

    /** Ends the process without a close. */
    public void kill() {
        segment.end();
        tasks.strand.end();
    }

    /** The stage upstream of the sink, which emits the offered elements. */
    private final class Offered implements Stage<ProducerRecord<byte[], byte[]>> {

        @Override
        public @Nullable Batch<ProducerRecord<byte[], byte[]>> pull(long deadlineNanos) throws InterruptedException {
            while (next.isEmpty() && !inputEnded && !turns.hasPassed(deadlineNanos)) {
                turns.pause();
            }
            if (next.isEmpty() && inputEnded) {
                return null;
            }
            Batch<ProducerRecord<byte[], byte[]>> pulled = next;
            next = new Batch<>(MAX_BATCH);
            return pulled;
        }

        @Override
        public void close() {}
    }

    /** The committing thread. */
    private final class Tasks extends AbstractExecutorService {

        private final Queue<Runnable> queue = new ArrayDeque<>();
        private boolean shutdown;
        private final Turns.Strand strand = turns.strand("committer", this::work);

        private void work() throws InterruptedException {
            while (true) {
                Runnable task = queue.poll();
                if (task != null) {
                    task.run();
                } else if (shutdown) {
                    return;
                }
                turns.pause();
            }
        }

        @Override
        public void execute(Runnable task) {
            if (shutdown) {
                throw new RejectedExecutionException();
            }
            queue.add(task);
        }

        @Override
        public void shutdown() {
            shutdown = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shutdown = true;
            List<Runnable> left = new ArrayList<>(queue);
            queue.clear();
            strand.interrupt();
            return left;
        }

        @Override
        public boolean isShutdown() {
            return shutdown;
        }

        @Override
        public boolean isTerminated() {
            return strand.isDone();
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            for (int i = 0; i < LAST_TURNS && !strand.isDone(); i++) {
                lastActs.run();
                strand.run();
            }
            return strand.isDone();
        }
    }
}
