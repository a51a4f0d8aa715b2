package planted.testkit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Sleeps, and contains a synchronized block. */
final class Sleeps {
    void millis() throws InterruptedException {
        Thread.sleep(1);
    }

    void duration() throws InterruptedException {
        Thread.sleep(Duration.ofMillis(1));
    }

    void unit() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(1);
    }

    synchronized void inTurn() {}
}
