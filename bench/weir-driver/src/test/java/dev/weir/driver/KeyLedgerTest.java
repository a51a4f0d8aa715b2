package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeyLedgerTest {

    private final KeyLedger ledger = new KeyLedger();

    @Test
    void keysThatOvertakeEachOther_areInOrder() {
        ledger.delivered(1, 5);
        ledger.delivered(100_000, 3);
        ledger.delivered(1, 6);
        ledger.delivered(100_000, 4);
        assertThat(ledger.reordered()).isZero();
    }

    @Test
    void recordAfterALaterOneOfItsKey_isReordered() {
        ledger.delivered(7, 5);
        ledger.delivered(7, 4);
        ledger.delivered(7, 6);
        assertThat(ledger.reordered()).isOne();
    }
}
