package dev.weir.bench.measurement;

import dev.weir.bench.beans.FetchCounter;
import dev.weir.bench.result.Interval;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Report;
import java.time.Duration;
import java.util.Map;

/**
 * The passes of a driver at its brokers, and what is seen of both meanwhile: of real ones, or of a model. Confined to
 * one thread; used for one run. Methods that wait or ask throw {@link dev.weir.bench.RunFailure} if the run cannot go
 * on.
 */
public interface PassSource extends AutoCloseable {

    /** Configures the driver for this topic. */
    void configure(String topic) throws InterruptedException;

    /**
     * Begins a pass and returns its consumer group.
     *
     * @param records at most
     * @param seconds at most, from the first record on
     */
    String start(long records, double seconds);

    /** The driver's next report. */
    Report receive(Duration patience) throws InterruptedException;

    /** The number of cores the driver may use. */
    int cores();

    /** The processor time of the brokers so far, or {@link Interval#UNKNOWN}. */
    long brokerCpuNanos();

    /** Returns whether {@link #fetched} may be called. */
    boolean countsFetches();

    /** The fetches of consumers so far. */
    FetchCounter.Count fetched();

    /** The end of a pass with what its output tells, if there is one. */
    Report.Passed copied(String topic, String group, Report.Passed said);

    /** The ledger of all passes, checked against what is in the topic. */
    LedgerFigures checked(String topic, LedgerFigures ledger);

    /** Begins the part that is measured. */
    void beginMeasured();

    /** A pass has settled. */
    void passBegins(boolean isMeasured);

    /** A pass is over; its driver closes down. */
    void passEnds() throws InterruptedException;

    /** To be called now and then while a pass that has settled is running. */
    void sample();

    /** The present figures of brokers and machine, by name. */
    Map<String, Double> series();

    /** The figures of brokers and machine since {@link #beginMeasured}, by name. */
    Map<String, Double> around();

    /** The processor's counters per record of the measured passes, by name. */
    Map<String, Double> perRecord(long cpuNanos, long records);

    @Override
    void close();
}
