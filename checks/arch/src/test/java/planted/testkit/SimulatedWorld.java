package planted.testkit;

/** Stands for the simulated cluster of tests. */
public class SimulatedWorld {}
