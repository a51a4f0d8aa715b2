package planted.stream.testing;

/** Stands for a probe in a user's test. */
public class Probe {}
