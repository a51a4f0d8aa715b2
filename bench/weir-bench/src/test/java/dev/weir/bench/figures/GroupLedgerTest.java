package dev.weir.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.driver.LedgerFigures;
import dev.weir.driver.NotedNumbers;
import dev.weir.driver.NumberRuns;
import dev.weir.driver.Report;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupLedgerTest {
    private final GroupLedger ledger = new GroupLedger(2, 1);

    /** Returns the numbers in the format that a driver writes. */
    private static String numbers(int from, int to) {
        return new NumberRuns.Builder().add(from, to).build().encoded();
    }

    private void told(String first, String second) {
        ledger.add(new Report.Delivered(List.of(first, second)));
    }

    @Test
    void whatMembersHadInTurn_isWhole() {
        told(numbers(0, 60), numbers(0, 0));
        told(numbers(60, 100), numbers(0, 50));
        assertThat(ledger.figures(new long[] {100, 50})).isEqualTo(new LedgerFigures(150, 0, 0, 0, 0));
    }

    @Test
    void whatNobodyHad_isLost_andTheRestCameAgain() {
        told(numbers(0, 60), numbers(0, 50));
        told(numbers(50, 90), numbers(40, 45));
        ledger.add(new LedgerFigures(40, 7, 3, 2, 0));
        LedgerFigures figures = ledger.figures(new long[] {100, 50});
        assertThat(figures.missing()).isEqualTo(10);
        assertThat(figures.redelivered()).isEqualTo(10 + 5 + 3);
        assertThat(figures.isBroken()).isTrue();
    }

    @Test
    void whatNobodyWrote_breaksTheLedger() {
        told(numbers(0, 101), numbers(0, 50));
        assertThat(ledger.figures(new long[] {100, 50}).foreign()).isOne();
    }

    /**
     * Two workers received the same records and missed others. The sum of their counts equals the number of records.
     */
    @Test
    void workersThatHadTheSame_areSeenToHave_thoughTheirCountsAddUp() {
        told(numbers(0, 50), numbers(0, 50));
        told(numbers(0, 50), numbers(0, 0));
        LedgerFigures figures = ledger.figures(new long[] {100, 50});
        assertThat(figures.missing()).isEqualTo(50);
        assertThat(figures.redelivered()).isEqualTo(50);
    }

    /** A killed member received records 50 to 89, two of them twice. Another member received records 80 to 99. */
    @Test
    void whatAKilledMemberHadNoted_isNotLost_andItsRepetitionsCount() {
        told(numbers(0, 50), numbers(0, 50));
        assertThat(ledger.add(new NotedNumbers(List.of(numbers(50, 90), numbers(0, 0)), List.of(2L, 0L))))
                .isEqualTo(40);
        told(numbers(80, 100), numbers(0, 0));
        LedgerFigures figures = ledger.figures(new long[] {100, 50});
        assertThat(figures.missing()).isZero();
        assertThat(figures.redelivered()).isEqualTo(2 + 10);
    }

    @Test
    void figuresOfSeveralTopics_areOfEachToo() {
        GroupLedger topics = new GroupLedger(2, 2);
        topics.add(new Report.Delivered(List.of(numbers(0, 60), numbers(0, 50))));
        topics.add(new Report.Delivered(List.of(numbers(60, 100), numbers(40, 50))));
        LedgerFigures pass = new LedgerFigures(40, 0, 3, 0, 1);
        topics.add(LedgerFigures.ofTopics(List.of(pass, new LedgerFigures(0, 0, 0, 0, 0))));
        LedgerFigures figures = topics.figures(new long[] {100, 60});
        assertThat(figures.topics())
                .containsExactly(new LedgerFigures(100, 0, 0, 0, 1, 0, 3), new LedgerFigures(50, 10, 0, 0, 0, 0, 10));
        assertThat(figures.missing()).isEqualTo(10);
        assertThat(figures.redelivered()).isEqualTo(13);
        assertThat(figures.foreign()).isOne();
    }

    /** A ledger with one bit per record would take gigabytes here. */
    @Test
    void whatCameWhole_takesTheSameRoom_howeverMuchItIs() {
        told(new NumberRuns.Builder().add(0, 1L << 40).build().encoded(), numbers(0, 50));
        assertThat(ledger.figures(new long[] {1L << 40, 50}).missing()).isZero();
    }
}
