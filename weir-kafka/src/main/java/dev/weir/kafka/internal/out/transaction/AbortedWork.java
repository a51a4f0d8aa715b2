package dev.weir.kafka.internal.out.transaction;

import dev.weir.stream.spi.AckTarget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Work left over from aborted transactions: records to be written again, or sources to be read again. Guarded by the
 * lock of the {@link TransactionsOfRun}.
 */
final class AbortedWork<K, V> {

    /** True if the records of aborted transactions are kept, so that they can be written again. */
    private final boolean keeps;

    /** Aborted transactions that can be written again, the oldest first. */
    private final List<OpenTransaction<K, V>> transactions = new ArrayList<>();

    /**
     * Sources that must be read again because of an unfinished input or a lost element. Sources with finished inputs
     * need not be added: their uncommitted offsets show that they must be read again.
     */
    private final Set<AckTarget> lostSources = new HashSet<>();

    /** Elements that must be written again before anything else is written or committed. */
    private final ArrayDeque<TransactionRecord<K, V>> again = new ArrayDeque<>();

    /**
     * True if everything aborted must be read again, because some of it may have been committed or must not be written
     * again.
     */
    private boolean mustReadAgain;

    AbortedWork(boolean keeps) {
        this.keeps = keeps;
    }

    /** Adds an aborted transaction, and the sources of its unfinished inputs. */
    void add(OpenTransaction<K, V> transaction) {
        transactions.add(transaction);
        transaction.open().forEach(root -> lostSources.add(root.source()));
    }

    /** Requests that a source be read again, because it lost an element that is not part of any transaction. */
    void readAgain(AckTarget source) {
        lostSources.add(source);
        mustReadAgain = true;
    }

    /** Requests that everything aborted be read again, because some of it may have been committed. */
    void readAgain() {
        mustReadAgain = true;
    }

    /** Returns whether the source lost an element and must be read again. */
    boolean isLost(AckTarget source) {
        return lostSources.contains(source);
    }

    /**
     * Returns whether the aborted records can be written again: they are kept, and nothing requires that everything be
     * read again.
     */
    boolean mayWriteAgain() {
        return keeps && !mustReadAgain;
    }

    /** The element that must be written before all others; null if there is none. */
    @Nullable
    TransactionRecord<K, V> next() {
        return again.peek();
    }

    /**
     * Removes an element that was written or will not be written. It need not be the first element, because another
     * abort may have queued other elements before it.
     */
    void done(TransactionRecord<K, V> element) {
        again.removeFirstOccurrence(element);
    }

    boolean isWaiting() {
        return !again.isEmpty();
    }

    /** The elements to write again, in order. */
    List<TransactionRecord<K, V>> waiting() {
        return List.copyOf(again);
    }

    /**
     * Ends an abort. All aborted records are either queued to be written again, or dropped because their inputs are
     * read again.
     */
    void resume(boolean writesAgain) {
        if (writesAgain) {
            // Elements of older transactions come first. Elements that were already in this queue at the time of the
            // abort come last.
            transactions
                    .reversed()
                    .forEach(transaction -> transaction.keptBackwards(kept -> again.addFirst(kept.again())));
        } else {
            again.clear();
        }
        transactions.clear();
        lostSources.clear();
        mustReadAgain = false;
    }
}
