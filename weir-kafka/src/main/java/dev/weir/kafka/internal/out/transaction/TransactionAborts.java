package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.stream.Backoff;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Aborts transactions that cannot be committed, and then wakes the consumer's thread. Confined to the committing
 * thread.
 */
final class TransactionAborts<K, V> {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionAborts.class);

    /** The time for a running send to end before an abort interrupts it. */
    private static final long SEND_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Without jitter, because simulations with the same seed must be identical. */
    private static final Backoff BACKOFF =
            Backoff.between(Duration.ofMillis(50), Duration.ofSeconds(5)).withJitter(0);

    private final TransactionsOfRun<K, V> run;
    private final StageContext context;
    private final TransactionCounts counts;

    private int aborts;

    TransactionAborts(TransactionsOfRun<K, V> run, StageContext context, TransactionCounts counts) {
        this.run = run;
        this.context = context;
        this.counts = counts;
    }

    /** Resets the backoff, because a transaction was committed. */
    void succeeded() {
        aborts = 0;
    }

    /** Aborts all open transactions. Then waits, longer with each abort. */
    void abort(Exception why) {
        List<OpenTransaction<K, V>> broken = takeBroken();
        long records = broken.stream().mapToLong(OpenTransaction::records).sum();
        counts.aborted.add(broken.size());
        counts.rewound.add(records);
        if (TransactionFaults.isFenced(why)) {
            counts.fenced.increment();
        }
        Optional<OpenTransaction<K, V>> refused = broken.stream()
                .filter(transaction -> !transaction.refusedTopic().isEmpty())
                .findFirst();
        KafkaPipelineException fatal = TransactionFaults.fatal(
                why,
                refused.map(OpenTransaction::refusedTopic).orElse(""),
                refused.map(OpenTransaction::refusedInput).orElse(""));
        TransactionRule<K, V> rule = run.rule;
        boolean mayBeExcused = rule != null && rule.mayExcuse(why);
        if (fatal != null && !mayBeExcused) {
            context.fail(fatal);
        } else if (!run.isEnded()) {
            LOG.warn(
                    "pipeline {}: {} transactions with {} records are aborted, {} again: {}",
                    context.pipelineName(),
                    broken.size(),
                    records,
                    run.keeps ? "which are written, or their inputs read," : "their inputs are read",
                    why.toString());
        }
        broken.forEach(transaction -> transaction.producer.abort());
        // Checked after the aborts, when each record is acknowledged or rejected.
        boolean isExcused = rule != null && rule.excuses(broken);
        if (!isExcused) {
            if (fatal != null && mayBeExcused) {
                context.fail(fatal);
            }
            run.pause(BACKOFF.after(++aborts));
        }
        run.finishAbort(broken);
        run.wakeOwner.run();
    }

    private List<OpenTransaction<K, V>> takeBroken() {
        run.lock.lock();
        try {
            OpenTransaction<K, V> filling = run.filling();
            if (filling != null) {
                awaitSent(filling);
            }
            return run.takeOpen();
        } finally {
            run.lock.unlock();
        }
    }

    /** Waits until no record is being sent. Must be called with the lock held. */
    private void awaitSent(OpenTransaction<K, V> filling) {
        try {
            if (!run.awaitSent(SEND_NANOS)) {
                filling.producer.breakOff();
                boolean ignored = run.awaitSent(Long.MAX_VALUE);
            }
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }
}
