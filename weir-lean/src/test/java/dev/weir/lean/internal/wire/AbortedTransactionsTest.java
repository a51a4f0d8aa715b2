package dev.weir.lean.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which producers' records are aborted at an offset, for any order of transactions. */
class AbortedTransactionsTest {

    private record Transaction(long producer, long first) {}

    private final AbortedTransactions aborted = new AbortedTransactions();

    private List<Long> abortedOf(AbortedTransactions of) {
        List<Long> producers = new ArrayList<>();
        for (long producer = 0; producer < 50; producer++) {
            if (of.isAborted(producer)) {
                producers.add(producer);
            }
        }
        return producers;
    }

    /** Tests each number of transactions in many orders. Nothing may remain from an earlier use. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 15, 16, 17, 40})
    void transactions_inAnyOrder_beginAtTheirFirstOffsets(int count) {
        Random random = new Random(count);
        for (int round = 0; round < 200; round++) {
            List<Transaction> all = new ArrayList<>();
            for (long producer = 0; producer < count; producer++) {
                all.add(new Transaction(producer, random.nextInt(60)));
            }
            Collections.shuffle(all, random);
            aborted.clear();
            all.forEach(each -> aborted.add(each.producer, each.first));
            assertThat(aborted.isEmpty()).isEqualTo(count == 0);
            for (int next = random.nextInt(5); next < 65; next += 1 + random.nextInt(9)) {
                long end = next;
                aborted.reached(end);
                assertThat(abortedOf(aborted))
                        .isEqualTo(all.stream()
                                .filter(each -> each.first < end)
                                .map(Transaction::producer)
                                .sorted()
                                .toList());
            }
        }
    }

    @Test
    void transaction_thatHasEnded_isNoLongerAborted_untilTheNextOneOfItsProducer() {
        aborted.add(7, 20);
        aborted.add(7, 10);
        aborted.add(8, 10);
        aborted.reached(11);
        aborted.endOf(7);
        assertThat(abortedOf(aborted)).containsExactly(8L);
        aborted.reached(20);
        assertThat(abortedOf(aborted)).containsExactly(8L);
        aborted.reached(21);
        assertThat(abortedOf(aborted)).containsExactly(7L, 8L);
    }

    @Test
    void clearing_forgetsWhatIsInForce() {
        aborted.add(7, 10);
        aborted.reached(11);
        aborted.clear();
        assertThat(aborted.isEmpty()).isTrue();
        assertThat(abortedOf(aborted)).isEmpty();
    }

    @Test
    void copy_continuesWhereTheOriginalStands() {
        aborted.add(9, 30);
        aborted.add(8, 20);
        aborted.add(7, 10);
        aborted.reached(11);
        aborted.endOf(7);
        aborted.reached(21);
        AbortedTransactions copy = new AbortedTransactions();
        copy.add(1, 1);
        copy.reached(2);
        copy.copyFrom(aborted);
        assertThat(abortedOf(copy)).containsExactly(8L);
        copy.reached(31);
        assertThat(abortedOf(copy)).containsExactly(8L, 9L);
        assertThat(abortedOf(aborted)).as("the original").containsExactly(8L);
    }

    @Test
    void copy_ofTransactionsThatAreNotSorted_sortsThem() {
        aborted.add(8, 20);
        aborted.add(7, 10);
        AbortedTransactions copy = new AbortedTransactions();
        copy.copyFrom(aborted);
        copy.reached(11);
        assertThat(abortedOf(copy)).containsExactly(7L);
    }
}
