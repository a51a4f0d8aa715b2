package dev.weir.checks.integration;

import org.junit.jupiter.api.extension.ExtendWith;

/** The same on the lean path. */
@ExtendWith(OnLeanPath.class)
class OnLeanOpenTransactionTest extends OpenTransactionTest {}
