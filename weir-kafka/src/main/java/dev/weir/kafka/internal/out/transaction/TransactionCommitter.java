package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.client.ClientProgress.StuckException;
import dev.weir.kafka.internal.out.write.WriterHandle;
import dev.weir.stream.Action;
import dev.weir.stream.spi.JvmExit;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that opens a run's producers, commits the run's transactions one after the other, and aborts transactions
 * that cannot be committed. Thread-safe; only {@link #close} blocks.
 */
final class TransactionCommitter<K, V> {

    static final int PRODUCERS = 2;

    private static final Logger LOG = LoggerFactory.getLogger(TransactionCommitter.class);

    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);

    /** Interval at which {@link #close} checks whether the {@code whenCommitted} listener has called System.exit. */
    private static final long EXIT_LOOK_MILLIS = 100;

    private final TransactionsOfRun<K, V> run;
    private final StageContext context;
    private final TransactionCounts counts;
    private final @Nullable Action<? super List<RecordMetadata>> whenCommitted;
    private final ExecutorService thread;
    private final List<TransactionalProducer<K, V>> producers = new ArrayList<>();

    /**
     * The producer for trial transactions, which are always aborted. Used by the stage's thread until {@link #close}.
     */
    private final TransactionalProducer<K, V> trial;

    /** Confined to the committer's thread. */
    private final TransactionAborts<K, V> aborts;

    private final Set<String> topics = ConcurrentHashMap.newKeySet();

    /** The committer's thread while it calls the {@code whenCommitted} listener; otherwise null. */
    private volatile @Nullable Thread telling;

    /** Confined to the monitoring thread. */
    private ClientProgress progress = ClientProgress.NONE;

    /**
     * Creates a committer. {@code clients} opens the client of a producer by its number, from 0.
     *
     * @param whenCommitted receives the offsets of each transaction's records; null if there is no listener
     */
    TransactionCommitter(
            TransactionsOfRun<K, V> run,
            StageContext context,
            TransactionCounts counts,
            @Nullable Action<? super List<RecordMetadata>> whenCommitted,
            IntFunction<Producer<K, V>> clients) {
        this(
                run,
                context,
                counts,
                whenCommitted,
                clients,
                Executors.newSingleThreadExecutor(Thread.ofPlatform()
                        .daemon()
                        .name("weir-" + context.pipelineName() + "-transactions")
                        .factory()));
    }

    /** Creates a committer that runs on the given thread, which {@link #close} stops. */
    TransactionCommitter(
            TransactionsOfRun<K, V> run,
            StageContext context,
            TransactionCounts counts,
            @Nullable Action<? super List<RecordMetadata>> whenCommitted,
            IntFunction<Producer<K, V>> clients,
            ExecutorService thread) {
        this.run = run;
        this.context = context;
        this.counts = counts;
        this.whenCommitted = whenCommitted;
        this.thread = thread;
        this.aborts = new TransactionAborts<>(run, context, counts);
        for (int i = 0; i < PRODUCERS; i++) {
            producers.add(producer(clients, i));
        }
        this.trial = producer(clients, PRODUCERS);
    }

    private TransactionalProducer<K, V> producer(IntFunction<Producer<K, V>> clients, int number) {
        return TransactionalProducer.ofRun(() -> clients.apply(number), run::isEnded, run::pause);
    }

    /** Makes {@link #look} also detect a stuck client. Must be called before the run starts. */
    void watch(ClientProgress newProgress) {
        progress = newProgress;
    }

    void writes(String topic) {
        topics.add(topic);
    }

    /** Returns the producer for trial transactions, not open yet. This committer closes it. */
    TransactionalProducer<K, V> trial() {
        return trial;
    }

    /** Returns a common handle for both producers, which take turns. May be called from any thread. */
    ProducerHandle look(String stage) {
        return new WriterHandle(run.latency, () -> ProducersLook.at(run, producers, stage));
    }

    void start() {
        producers.forEach(producer -> submit(() -> {
            producer.open();
            run.opened(producer);
        }));
    }

    private void submit(Runnable work) {
        try {
            thread.execute(() -> {
                try {
                    work.run();
                } catch (InterruptException closed) {
                    LOG.debug("interrupted at the end", closed);
                } catch (RuntimeException | Error failure) {
                    if (!run.isEnded()) {
                        context.fail(TransactionFaults.ofRun(failure));
                    }
                }
            });
        } catch (RejectedExecutionException closed) {
            LOG.debug("nothing more is committed or aborted: the run is closed");
        }
    }

    /** Begins a transaction with a free producer. Aborts it if the producer is broken. The lock must be held. */
    void begin() {
        TransactionalProducer<K, V> producer = run.takeFree();
        run.begin(new OpenTransaction<>(
                producer, run.ownClock.nanoTime(), this::refused, whenCommitted != null, run.keeps));
        try {
            producer.begin();
        } catch (KafkaException | IllegalStateException broken) {
            abortFilling(broken);
        }
    }

    /** Commits a transaction, which must be the current {@link TransactionsOfRun#committing()}. */
    void commit(TransactionCut<K, V> cut) {
        submit(() -> {
            if (run.committing() != cut) {
                // The transaction was aborted. Its producer may have begun another one, which must not commit these
                // offsets.
                return;
            }
            long start = System.nanoTime();
            if (!isFlushed(cut.transaction()) || !isCommitted(cut)) {
                return;
            }
            counts.committed(System.nanoTime() - start);
            cut.transaction().times().countUntil(System.currentTimeMillis(), run.latency);
            aborts.succeeded();
            TransactionRule<K, V> rule = run.rule;
            if (rule != null) {
                rule.committed(cut);
            }
            run.committed(cut);
            run.sinkMeter.out((int) cut.transaction().records());
            run.wakeOwner.run();
            tellCommitted(cut.transaction());
        });
    }

    /**
     * Waits until all records of the transaction are acknowledged. After a failure, aborts everything and returns
     * false.
     */
    private boolean isFlushed(OpenTransaction<K, V> transaction) {
        try {
            transaction.producer.flush();
        } catch (InterruptException interrupted) {
            throw interrupted;
        } catch (RuntimeException failure) {
            failed(failure, false);
            return false;
        }
        run.flushed();
        return true;
    }

    /**
     * Commits the records and the offsets. After a failure, or if the outcome is unknown, aborts everything and returns
     * false.
     */
    private boolean isCommitted(TransactionCut<K, V> cut) {
        boolean asked = false;
        try {
            cut.transaction().producer.sendOffsets(cut.offsets(), cut.member());
            asked = true;
            cut.transaction().producer.commit();
            return true;
        } catch (InterruptException interrupted) {
            throw interrupted;
        } catch (RuntimeException failure) {
            // After a rejected record, the client fails the commit without asking the coordinator. Nothing was
            // committed.
            failed(failure, asked && cut.transaction().refusedTopic().isEmpty());
            return false;
        }
    }

    private void tellCommitted(OpenTransaction<K, V> committed) {
        if (whenCommitted == null || committed.records() == 0) {
            return;
        }
        telling = Thread.currentThread();
        try {
            whenCommitted.accept(committed.results());
        } catch (RuntimeException unchecked) {
            throw unchecked;
        } catch (Exception failure) {
            throw new KafkaPipelineException(
                    "the listener of whenCommitted failed: " + Thrown.reason(failure), failure);
        } finally {
            telling = null;
        }
    }

    /** Returns whether the {@code whenCommitted} listener has called System.exit. Its thread then never ends. */
    private boolean isListenerExiting() {
        Thread thread = telling;
        return thread != null && JvmExit.isExiting(thread);
    }

    void refused(OpenTransaction<K, V> transaction, Exception refusal) {
        submit(() -> {
            if (run.abortRefused(transaction)) {
                aborts.abort(refusal);
            }
        });
    }

    /** Aborts the transaction that accepts records. A running commit of an earlier transaction continues. */
    void abortFilling(Exception why) {
        if (run.askAbort()) {
            submit(() -> {
                if (run.abortAsAsked()) {
                    aborts.abort(why);
                }
            });
        }
    }

    private void failed(RuntimeException failure, boolean mayBeCommitted) {
        run.abortFailed(mayBeCommitted);
        aborts.abort(failure);
    }

    /**
     * Fails the run, or aborts the running commit, if a client makes no progress. Must be called by one thread, several
     * times a second.
     */
    void look(long nowNanos) {
        TransactionCut<K, V> cut = run.committing();
        OpenTransaction<K, V> filling = run.filling();
        if (cut != null) {
            look(cut.transaction(), true, nowNanos);
            StuckException stuck = progress.look(cut.transaction().noAnswerNanos(nowNanos), topics, nowNanos);
            if (stuck != null && !run.isEnded()) {
                LOG.warn(
                        "pipeline {}: {}; its transaction is aborted and written again by another producer",
                        context.pipelineName(),
                        Thrown.reason(stuck));
                cut.transaction().producer.breakOff();
            }
        }
        if (filling != null) {
            look(filling, false, nowNanos);
        }
    }

    private void look(OpenTransaction<K, V> transaction, boolean committing, long nowNanos) {
        KafkaPipelineException broken = transaction.look(committing, nowNanos);
        if (broken != null && !run.isEnded()) {
            context.fail(broken); // before the less specific failures from closing the client
            transaction.producer.breakOff();
        }
    }

    /** Reports a recreated topic. A producer that uses the old topic id cannot commit offsets for the topic. */
    void topicRecreated(String name) {
        producers.forEach(producer -> producer.topicRecreated(name));
    }

    /** Makes a running {@link #commit} fail. Used if the coordinator would never respond. */
    void breakOff(TransactionCut<K, V> cut) {
        cut.transaction().producer.breakOff();
    }

    /** Stops the thread and closes the producers. A running commit has a few seconds to finish. */
    void close() {
        OpenTransaction<K, V> open = run.end();
        submit(() -> end(open));
        thread.shutdown();
        try {
            if (!isTerminated()) {
                thread.shutdownNow();
                boolean ignored = isTerminated();
            }
        } catch (InterruptedException hurried) {
            var ignored = thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
        closeProducers(Duration.ZERO);
    }

    /** Waits for the thread to end. Returns false if it does not end in time. */
    private boolean isTerminated() throws InterruptedException {
        long endNanos = System.nanoTime() + CLOSE_PATIENCE.toNanos();
        while (!thread.awaitTermination(EXIT_LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
            if (System.nanoTime() - endNanos >= 0 || isListenerExiting()) {
                return false;
            }
        }
        return true;
    }

    private void closeProducers(Duration patience) {
        producers.forEach(producer -> producer.close(patience));
        trial.close(patience);
    }

    private void end(@Nullable OpenTransaction<K, V> open) {
        if (open != null) {
            counts.aborted.increment();
        }
        closeProducers(CLOSE_PATIENCE.dividedBy(2));
    }
}
