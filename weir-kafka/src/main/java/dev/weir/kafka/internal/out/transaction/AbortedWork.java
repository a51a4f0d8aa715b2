package dev.weir.kafka.internal.out.transaction;

import dev.weir.stream.spi.AckTarget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Work that aborts leave behind: records that are written again, or sources that are read again. Guarded by the lock of
 * the {@link TransactionsOfRun}.
 */
final class AbortedWork<K, V> {

    /** True if the records of aborted transactions are kept to be written again. */
    private final boolean keeps;

    /** Aborted transactions that can be written again, the oldest first. */
    private final List<OpenTransaction<K, V>> transactions = new ArrayList<>();

    /** Sources that lost an element, besides those of the aborted transactions' finished inputs. */
    private final Set<AckTarget> lostSources = new HashSet<>();

    /** Elements written again before anything else, and before anything is committed. */
    private final ArrayDeque<TransactionRecord<K, V>> again = new ArrayDeque<>();

    /** True if everything aborted has to be read again: a part of it may be committed, or must not be written again. */
    private boolean mustReadAgain;

    AbortedWork(boolean keeps) {
        this.keeps = keeps;
    }

    /** Notes an aborted transaction and the sources of its unfinished inputs. */
    void add(OpenTransaction<K, V> transaction) {
        transactions.add(transaction);
        transaction.open().forEach(root -> lostSources.add(root.source()));
    }

    /** Requests that a source is read again that lost an element of no transaction. */
    void readAgain(AckTarget source) {
        lostSources.add(source);
        mustReadAgain = true;
    }

    /** Requests that everything aborted is read again, since a part of it may be committed. */
    void readAgain() {
        mustReadAgain = true;
    }

    /** Returns whether an element of the source is lost, so that it is read again. */
    boolean isLost(AckTarget source) {
        return lostSources.contains(source);
    }

    /** Returns whether all that is aborted is kept, and none of it may be committed. */
    boolean mayWriteAgain() {
        return keeps && !mustReadAgain;
    }

    /** The element to be written before all others; null if there is none. */
    @Nullable
    TransactionRecord<K, V> next() {
        return again.peek();
    }

    /** Forgets an element that is written or ruled out. Another abort may have put others before it. */
    void done(TransactionRecord<K, V> element) {
        again.removeFirstOccurrence(element);
    }

    /** Returns whether elements wait to be written again. */
    boolean isWaiting() {
        return !again.isEmpty();
    }

    /** The elements to be written again, in order. */
    List<TransactionRecord<K, V>> waiting() {
        return List.copyOf(again);
    }

    /** Ends an abort: everything aborted is written again, or forgotten because it is read again. */
    void resume(boolean writesAgain) {
        if (writesAgain) {
            // The oldest goes first, and all of them before what was to be written again when they were aborted.
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
