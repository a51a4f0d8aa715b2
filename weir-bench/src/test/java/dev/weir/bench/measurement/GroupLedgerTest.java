package dev.weir.bench.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Report;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.BitSet;
import java.util.List;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;

class GroupLedgerTest {
    private final GroupLedger ledger = new GroupLedger(2);

    /** As a driver writes it. */
    private static String numbers(int from, int to) {
        BitSet bits = new BitSet();
        bits.set(from, to);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflated = new DeflaterOutputStream(bytes)) {
            deflated.write(bits.toByteArray());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
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
}
