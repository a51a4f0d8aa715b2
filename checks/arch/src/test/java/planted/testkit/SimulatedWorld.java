package planted.testkit;

/** What tests run in. */
public class SimulatedWorld {}
