package dev.weir.kafka.internal.out.transaction;

import dev.weir.stream.spi.AckTarget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Work left by aborted transactions: records to write again, or sources to read again. Guarded by the lock of the
 * {@link TransactionsOfRun}.
 */
final class AbortedWork<K, V> {

    /** True if transactions keep their records, to write them again after an abort. */
    private final boolean keeps;

    /** Aborted transactions, the oldest first. */
    private final List<OpenTransaction<K, V>> transactions = new ArrayList<>();

    /** Sources to read again because of an unfinished input or a lost element. */
    private final Set<AckTarget> lostSources = new HashSet<>();

    /** Elements to write again before any other elements. */
    private final ArrayDeque<TransactionRecord<K, V>> again = new ArrayDeque<>();

    /** True if everything aborted must be read again, and not written again. */
    private boolean mustReadAgain;

    AbortedWork(boolean keeps) {
        this.keeps = keeps;
    }

    void add(OpenTransaction<K, V> transaction) {
        transactions.add(transaction);
        transaction.open().forEach(root -> lostSources.add(root.source()));
    }

    /** Requests that a source be read again, because it lost an element outside of any transaction. */
    void readAgain(AckTarget source) {
        lostSources.add(source);
        mustReadAgain = true;
    }

    /** Requests that everything aborted be read again, because some of it may have been committed. */
    void readAgain() {
        mustReadAgain = true;
    }

    boolean isLost(AckTarget source) {
        return lostSources.contains(source);
    }

    boolean mayWriteAgain() {
        return keeps && !mustReadAgain;
    }

    @Nullable
    TransactionRecord<K, V> next() {
        return again.peek();
    }

    /** Removes an element that was written or will not be written. The element may be anywhere in the queue. */
    void done(TransactionRecord<K, V> element) {
        again.removeFirstOccurrence(element);
    }

    boolean isWaiting() {
        return !again.isEmpty();
    }

    List<TransactionRecord<K, V>> waiting() {
        return List.copyOf(again);
    }

    /** Ends an abort: queues the aborted records to be written again, or drops them. */
    void resume(boolean writesAgain) {
        if (writesAgain) {
            // Order: records of older transactions, records of newer ones, records that already wait in the queue.
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
