package planted.testkit;

/** Represents the simulated cluster of tests. */
public class SimulatedWorld {}
