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
 * The thread that opens a run's producers, commits the run's transactions one after the other, and aborts any
 * transaction that cannot be committed. Its methods may be called from any thread, and never block, except for
 * {@link #close}.
 */
final class TransactionCommitter<K, V> {

    /** The number of producers: one fills a transaction while the other commits. */
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
     * The producer for trial transactions, which test single records and are always aborted. Used by the stage's thread
     * until {@link #close}.
     */
    private final TransactionalProducer<K, V> trial;

    /** Confined to this thread. */
    private final TransactionAborts<K, V> aborts;

    private final Set<String> topics = ConcurrentHashMap.newKeySet();

    /** The committer's thread while it calls the {@code whenCommitted} listener; null at all other times. */
    private volatile @Nullable Thread telling;

    /** Detects a stuck client. Confined to the monitoring thread. */
    private ClientProgress progress = ClientProgress.NONE;

    /**
     * Creates a committer. {@code clients} creates its producers, which are numbered from 0.
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

    /** Creates a committer that runs on the given thread. {@link #close} stops the thread. */
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

    /**
     * Makes {@link #look} also detect a client whose records are not acknowledged. Must be called before the run
     * starts.
     */
    void watch(ClientProgress newProgress) {
        progress = newProgress;
    }

    void writes(String topic) {
        topics.add(topic);
    }

    /** The producer for trial transactions. It is not open yet, and is closed together with the others. */
    TransactionalProducer<K, V> trial() {
        return trial;
    }

    /**
     * Returns a single handle for both producers, because the producers take turns filling transactions. Any thread may
     * call this method.
     */
    ProducerHandle look(String stage) {
        return new WriterHandle(run.latency, () -> ProducersLook.at(run, producers, stage));
    }

    /** Opens the producers. */
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

    /**
     * Begins a transaction with a free producer. If the producer is broken, aborts the transaction. Must be called with
     * the lock held.
     */
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

    /** Commits a cut transaction, which must be the current {@link TransactionsOfRun#committing()}. */
    void commit(TransactionCut<K, V> cut) {
        submit(() -> {
            if (run.committing() != cut) {
                // A record of the transaction was rejected, so the transaction has been aborted. Its producer may have
                // begun another transaction, which must not commit these offsets.
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
     * Returns whether the brokers have acknowledged all records of the transaction. If they have not, everything is
     * aborted.
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
     * Returns whether the coordinator has committed the records and the offsets. If that is uncertain, everything is
     * aborted.
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
            // If a record was rejected, the client fails the commit itself and never asks the coordinator, so nothing
            // can have been committed.
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
                    "the listener of whenCommitted failed: " + Thrown.message(failure), failure);
        } finally {
            telling = null;
        }
    }

    /** Returns whether the {@code whenCommitted} listener has called System.exit, so that its thread never ends. */
    private boolean isListenerExiting() {
        Thread thread = telling;
        return thread != null && JvmExit.isExiting(thread);
    }

    /** Reports that the brokers have rejected a record of a transaction. */
    void refused(OpenTransaction<K, V> transaction, Exception refusal) {
        submit(() -> {
            if (run.abortRefused(transaction)) {
                aborts.abort(refusal);
            }
        });
    }

    /** Aborts the transaction that accepts records. An earlier transaction that is being committed continues. */
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
     * Fails the run if a client can no longer complete records. Otherwise a flush would wait forever, or a commit would
     * be repeated forever. Must be called by one thread, several times a second.
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
                        stuck.getMessage());
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
            context.fail(broken); // reported first, because closing the client causes failures that say less
            transaction.producer.breakOff();
        }
    }

    /** Reports a recreated topic. Producers that use its old id cannot commit offsets for it. */
    void topicRecreated(String name) {
        producers.forEach(producer -> producer.topicRecreated(name));
    }

    /** Makes the running {@link #commit} fail. Used if the coordinator would never respond to it. */
    void breakOff(TransactionCut<K, V> cut) {
        cut.transaction().producer.breakOff();
    }

    /**
     * Stops the thread and closes the producers. An open transaction is aborted; a running commit gets a few seconds to
     * finish.
     */
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

    /** Waits for the thread's end. Returns false if it does not end in time, or if it never will. */
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
        // Closing a producer aborts its open transaction.
        closeProducers(CLOSE_PATIENCE.dividedBy(2));
    }
}
