package dev.weir.bench.measurement;

import dev.weir.bench.beans.FetchCounter;
import dev.weir.bench.result.Interval;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Report;
import java.time.Duration;
import java.util.Map;

/**
 * The passes of a driver at its brokers, with the figures of both; real or simulated. Confined to one thread; used for
 * one run. Methods that wait or ask throw {@link dev.weir.bench.RunFailure} if the run cannot continue.
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

    /** The report of a pass, completed from its output if it has one. */
    Report.Passed copied(String topic, String group, Report.Passed said);

    /** The ledger of all passes, checked against the topic. */
    LedgerFigures checked(String topic, LedgerFigures ledger);

    /** Begins the part that is measured. */
    void beginMeasured();

    /** Notes that a pass has settled. */
    void passBegins(boolean isMeasured);

    /** Notes the end of a pass; its driver closes down. */
    void passEnds() throws InterruptedException;

    /** Takes a sample. Call regularly during a settled pass. */
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
