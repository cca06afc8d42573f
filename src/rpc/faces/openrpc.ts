/** Face of the OpenRPC document of a service. */

import { describeService } from '../controllers/service-description.ts'
import { answerDocument, serverUrl } from './document.ts'
import type { Face } from './face.ts'
import { openrpcText } from './openrpc-document.ts'

export const OPENRPC: Face = {
  title: 'OpenRPC document',
  path: '/openrpc.json',
  answer(request) {
    const { url } = request.controller.request
    return answerDocument(request, () =>
      openrpcText(describeService(request), new URL(serverUrl(url), url).href),
    )
  },
}
