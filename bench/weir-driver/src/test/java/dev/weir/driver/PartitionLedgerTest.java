package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PartitionLedgerTest {

    private static LedgerFigures of(long size, boolean complete, long... numbers) {
        PartitionLedger ledger = new PartitionLedger(size);
        LongStream.of(numbers).forEach(ledger::delivered);
        return ledger.figures(complete, 0, LongStream.empty());
    }

    @Test
    void inOrder_isClean() {
        assertThat(of(4, true, 0, 1, 2, 3)).isEqualTo(new LedgerFigures(4, 0, 0, 0, 0));
    }

    @Test
    void gap_isMissing() {
        assertThat(of(4, true, 0, 2, 3)).isEqualTo(new LedgerFigures(3, 1, 0, 0, 0));
    }

    @Test
    void end_isMissingOnlyIfAllWereOrdered() {
        assertThat(of(4, true, 0, 1).missing()).isEqualTo(2);
        assertThat(of(4, false, 0, 1).missing()).isZero();
    }

    @Test
    void gapCloseToTheLast_mayBeUnderWay() {
        PartitionLedger ledger = new PartitionLedger(100);
        for (long number = 1; number < 100; number += number == 39 ? 2 : 1) {
            ledger.delivered(number);
        }
        assertThat(ledger.figures(false, 0, LongStream.empty()).missing()).isEqualTo(2);
        assertThat(ledger.figures(false, 50, LongStream.empty()).missing()).isEqualTo(2);
        assertThat(ledger.figures(false, 60, LongStream.empty()).missing()).isOne();
        assertThat(ledger.figures(false, 100, LongStream.empty()).missing()).isZero();
        assertThat(ledger.figures(false, Long.MAX_VALUE, LongStream.empty()).missing())
                .isZero();
        assertThat(ledger.figures(true, Long.MAX_VALUE, LongStream.empty()).missing())
                .isEqualTo(2);
    }

    @Test
    void again_isDuplicate_beforeAndPastThePrefix() {
        assertThat(of(6, true, 0, 1, 1, 3, 3, 2, 4, 5, 4)).isEqualTo(new LedgerFigures(6, 0, 3, 1, 0));
    }

    @Test
    void unknownNumber_isForeign() {
        assertThat(of(2, true, 0, 1, 2, -1)).isEqualTo(new LedgerFigures(2, 0, 0, 0, 2));
    }

    /** Compares the ledger with a set, for random sequences with missing, repeated and reordered records. */
    @Test
    void anyOrder_isCountedAsByASet() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            List<Long> numbers = new ArrayList<>();
            for (long i = 0; i < 500; i++) {
                for (int copies = random.nextInt(20) == 0 ? random.nextInt(3) : 1; copies > 0; copies--) {
                    numbers.add(i);
                }
            }
            for (int i = 0; i + 40 < numbers.size(); i += 20) {
                Collections.shuffle(numbers.subList(i, i + 40), random);
            }
            long distinct = numbers.stream().distinct().count();
            LedgerFigures figures =
                    of(500, true, numbers.stream().mapToLong(Long::longValue).toArray());
            assertThat(figures.distinct()).as("seed " + seed).isEqualTo(distinct);
            assertThat(figures.missing()).isEqualTo(500 - distinct);
            assertThat(figures.duplicates()).isEqualTo(numbers.size() - distinct);
        }
    }
}
