package dev.weir.bench.measurement;

import dev.weir.bench.beans.FetchCounter;
import dev.weir.bench.result.Interval;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Report;
import java.time.Duration;
import java.util.Map;

/**
 * Runs the passes of a real or simulated driver, and returns figures of the driver and its brokers. A pass is one
 * execution of the scenario, in a new group or on a new topic. Confined to one thread; used for one run. Methods that
 * wait for the driver or query brokers throw {@link dev.weir.bench.RunFailure} if the run cannot continue.
 */
public interface PassSource extends AutoCloseable {

    /** Configures the driver to use this topic. */
    void configure(String topic) throws InterruptedException;

    /**
     * Begins a pass and returns its consumer group.
     *
     * @param records the maximum number of records
     * @param seconds the maximum duration, measured from the first record
     */
    String start(long records, double seconds);

    /**
     * Returns the driver's next report.
     *
     * @param patience the maximum time to wait for it
     */
    Report receive(Duration patience) throws InterruptedException;

    /** The number of cores the driver may use. */
    int cores();

    /** The processor time that the brokers have used so far, or {@link Interval#UNKNOWN}. */
    long brokerCpuNanos();

    /** Returns whether {@link #fetched} may be called. */
    boolean countsFetches();

    /** The number of consumer fetches so far. */
    FetchCounter.Count fetched();

    /**
     * Returns {@code said}, the driver's report of a pass. In a pass that copies, the report's counts and time are
     * replaced by those measured from the output topic.
     */
    Report.Passed copied(String topic, String group, Report.Passed said);

    /** Returns the delivery counts of all passes after checking them against the topic. */
    LedgerFigures checked(String topic, LedgerFigures ledger);

    /** Begins the measured part of the run. */
    void beginMeasured();

    /** Ends the warm-up of a pass: the driver's figures count from now on. */
    void passBegins(boolean isMeasured);

    /** Notes the end of a pass, after which the driver closes down. */
    void passEnds() throws InterruptedException;

    /** Takes a sample of brokers and machine. Call this method regularly during a settled pass. */
    void sample();

    /** The current figures of the brokers and the machine, by name. */
    Map<String, Double> series();

    /** The figures of the brokers and the machine since {@link #beginMeasured}, by name. */
    Map<String, Double> around();

    /** The counts of the processor's hardware counters, per record of the measured passes, by name. */
    Map<String, Double> perRecord(long cpuNanos, long records);

    @Override
    void close();
}
