package dev.weir.stream.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests the transitions in the class comment's diagram. Each test runs on one thread and clears its interrupts. */
class TaskLifecycleTest {

    @Test
    void begin_isForOneCaller_andNotAfterAWithdrawal() {
        TaskLifecycle life = new TaskLifecycle(false);
        assertThat(life.begin(Thread.currentThread())).isTrue();
        assertThat(life.begin(Thread.currentThread())).isFalse();
        assertThat(life.withdraw()).isFalse();

        TaskLifecycle withdrawn = new TaskLifecycle(false);
        assertThat(withdrawn.withdraw()).isTrue();
        assertThat(withdrawn.begin(Thread.currentThread())).isFalse();
    }

    @Test
    void interrupt_whileQueuedOnAPool_asksForAThreadOnce_andForbidsTheWithdrawal() {
        TaskLifecycle life = new TaskLifecycle(true);
        assertThat(life.interrupt()).isTrue();
        assertThat(life.interrupt()).isFalse();
        assertThat(life.withdraw()).isFalse();
        assertThat(life.begin(Thread.currentThread())).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void interrupt_whileQueuedElsewhere_waitsForTheBeginning() {
        TaskLifecycle life = new TaskLifecycle(false);
        assertThat(life.interrupt()).isFalse();
        assertThat(life.begin(Thread.currentThread())).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void interruptUnlessHeld_whileHolding_comesWithTheLettingGo() {
        TaskLifecycle life = new TaskLifecycle(false);
        assertThat(life.begin(Thread.currentThread())).isTrue();
        life.hold();
        assertThat(life.interruptUnlessHeld()).isFalse();
        assertThat(life.isInterruptRequested()).isFalse();
        assertThat(Thread.interrupted()).isFalse();
        life.letGo();
        assertThat(life.isInterruptRequested()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }

    /** A thread holds interrupts back twice if one inner stream pulls another. */
    @Test
    void interruptUnlessHeld_whileHoldingTwice_comesWithTheLastLettingGo() {
        TaskLifecycle life = new TaskLifecycle(false);
        assertThat(life.begin(Thread.currentThread())).isTrue();
        life.hold();
        life.hold();
        assertThat(life.interruptUnlessHeld()).isFalse();
        life.hold();
        life.letGo();
        life.letGo();
        assertThat(Thread.interrupted()).isFalse();
        life.letGo();
        assertThat(Thread.interrupted()).isTrue();
        life.letGo();
        life.hold();
        life.letGo();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void interrupt_whileHolding_comesAtOnce() {
        TaskLifecycle life = new TaskLifecycle(false);
        assertThat(life.begin(Thread.currentThread())).isTrue();
        life.hold();
        assertThat(life.interrupt()).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void interrupt_afterTheShield_isNotedAndReachesNoThread() {
        TaskLifecycle life = new TaskLifecycle(true);
        assertThat(life.begin(Thread.currentThread())).isTrue();
        life.shield();
        assertThat(life.interrupt()).isFalse();
        life.letGo();
        assertThat(life.isInterruptRequested()).isTrue();
        assertThat(life.thread()).isNull();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void shield_clearsAnInterruptOnItsWay() {
        TaskLifecycle life = new TaskLifecycle(true);
        assertThat(life.begin(Thread.currentThread())).isTrue();
        assertThat(life.thread()).isSameAs(Thread.currentThread());
        assertThat(life.interrupt()).isFalse();
        life.shield();
        assertThat(Thread.interrupted()).isFalse();
        assertThat(life.isInterruptRequested()).isTrue();
    }

    @Test
    void interrupt_isDeliveredOnce() {
        TaskLifecycle life = new TaskLifecycle(true);
        assertThat(life.begin(Thread.currentThread())).isTrue();
        assertThat(life.interruptUnlessHeld()).isFalse();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(life.interrupt()).isFalse();
        assertThat(life.interruptUnlessHeld()).isFalse();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void interruptUnlessHeld_whileQueuedOnAPool_asksForAThread() {
        TaskLifecycle life = new TaskLifecycle(true);
        assertThat(life.thread()).isNull();
        assertThat(life.interruptUnlessHeld()).isTrue();
        assertThat(life.withdraw()).isFalse();
    }

    @Test
    void interruptAtStart_comesWithTheBeginning() {
        TaskLifecycle life = new TaskLifecycle(true);
        life.interruptAtStart();
        assertThat(life.isInterruptRequested()).isTrue();
        assertThat(life.interrupt()).isFalse();
        assertThat(life.begin(Thread.currentThread())).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void interrupt_ofTheWholeTask_whileOneIsDeferred_comesAtOnceAndOnce() {
        TaskLifecycle life = new TaskLifecycle(false);
        assertThat(life.begin(Thread.currentThread())).isTrue();
        life.hold();
        assertThat(life.interruptUnlessHeld()).isFalse();
        assertThat(life.interrupt()).isFalse();
        assertThat(Thread.interrupted()).isTrue();
        life.letGo();
        assertThat(Thread.interrupted()).isFalse();
        life.shield();
        life.hold();
        life.letGo();
        assertThat(life.begin(Thread.currentThread())).isFalse();
    }

    @Test
    void interruptUnlessHeld_twice_comesOnceWithTheLettingGo() {
        TaskLifecycle life = new TaskLifecycle(false);
        assertThat(life.begin(Thread.currentThread())).isTrue();
        life.hold();
        assertThat(life.interruptUnlessHeld()).isFalse();
        assertThat(life.interruptUnlessHeld()).isFalse();
        assertThat(Thread.interrupted()).isFalse();
        life.letGo();
        assertThat(Thread.interrupted()).isTrue();
    }
}
